from costbench.cli import main

main()
