"""LeNet-5 (LeCun et al., "Gradient-based learning", 1998) with ReLU and max pooling."""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn import functional as F

from costbench.training.models.norms import Norm, activation, norm

GROUPS = 2


class LeNet(nn.Module):
    """Two 5x5 convolutions of 6 and 16 channels, then 120, 84 and `classes` units, for 32x32 images."""

    def __init__(self, channels: int, classes: int, kind: Norm):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(channels, 6, 5), norm(kind, 6, GROUPS)
        self.conv2, self.norm2 = nn.Conv2d(6, 16, 5), norm(kind, 16, GROUPS)
        self.activation = activation(kind)
        self.fc1 = nn.Linear(16 * 5 * 5, 120)
        self.fc2 = nn.Linear(120, 84)
        self.head = nn.Linear(84, classes)

    def forward(self, x_BCHW: Tensor) -> Tensor:
        h_BCHW = F.max_pool2d(self.activation(self.norm1(self.conv1(x_BCHW))), 2)
        h_BCHW = F.max_pool2d(self.activation(self.norm2(self.conv2(h_BCHW))), 2)
        h_BD = F.relu(self.fc1(h_BCHW.flatten(1)))
        return self.head(F.relu(self.fc2(h_BD)))
