"""The algorithms written out again, naively: numpy, float64, loops over nodes, dense vectors and matrices.

Nothing here is shared with the package. x [N, D]; gradients [N][T][D]; weights(t) -> W [N, N] with W[i, j] on
what i receives from j.
"""

import numpy as np


def top_k(v, bounds, kept):
    """The k largest magnitudes of every tensor, zeros elsewhere."""
    q = np.zeros_like(v)
    for (start, stop), k in zip(bounds, kept, strict=True):
        largest = start + np.argsort(-np.abs(v[start:stop]), kind="stable")[:k]
        q[largest] = v[largest]
    return q


def sparse_push(x, gradients, weights, optimizer, gamma, compress, rounds):
    n = len(x)
    x, w, e, m = x.copy(), np.ones(n), np.zeros_like(x), np.zeros_like(x)
    for t in range(rounds):
        W, q = weights(t), np.zeros_like(x)
        for i in range(n):
            g = gradients[i][t] + optimizer.weight_decay * x[i]
            m[i] = optimizer.momentum * m[i] + g
            x[i] = x[i] - optimizer.lr * m[i]
            v = x[i] + e[i]
            q[i] = compress(v)
            e[i] = v - q[i]
        x_next, w_next = x.copy(), w.copy()
        for i in range(n):
            for j in range(n):
                if j != i:
                    x_next[i] += gamma * W[i, j] * q[j]
                    w_next[i] += gamma * W[i, j] * w[j]
            x_next[i] += gamma * (W[i, i] - 1) * q[i]
            w_next[i] += gamma * (W[i, i] - 1) * w[i]
        x, w = x_next, w_next
    return x, w


def merge(x, w, weights, rounds, start):
    """The ending of SCSP: dense push-sum."""
    for t in range(start, start + rounds):
        x, w = weights(t) @ x, weights(t) @ w
    return x, w


def qg_dsgdm(x, gradients, weights, optimizer, mu, rounds):
    n, lr = len(x), optimizer.lr
    x, mhat = x.copy(), np.zeros_like(x)
    for t in range(rounds):
        before, half = x, x.copy()
        for i in range(n):
            g = gradients[i][t] + optimizer.weight_decay * x[i]
            m = optimizer.momentum * mhat[i] + g
            half[i] = x[i] - lr * (g + optimizer.momentum * m if optimizer.nesterov else m)
        W = weights(t)
        x = np.array([sum(W[i, j] * half[j] for j in range(n)) for i in range(n)])
        for i in range(n):
            mhat[i] = (1 - mu) * mhat[i] + mu * (before[i] - x[i]) / lr
    return x


def adam_half(g, m, v, s):
    """m / (sqrt(v) + tau) after one gradient; m and v change in place."""
    m[:] = s.beta1 * m + (1 - s.beta1) * g
    v[:] = s.beta2 * v + (1 - s.beta2) * g * g
    return m / (np.sqrt(v) + s.tau)


def adam_directions(gradients, s):
    """[T, D]: what Adam multiplies by lr, for gradients [T, D] of one node."""
    m, v = np.zeros(gradients.shape[1]), np.zeros(gradients.shape[1])
    return np.array([adam_half(g, m, v, s) for g in gradients])


def d_adam(x, gradients, weights, lr, settings, rounds):
    n = len(x)
    x, m, v = x.copy(), np.zeros_like(x), np.zeros_like(x)
    for t in range(rounds):
        half = x.copy()
        for i in range(n):
            half[i] = x[i] - lr * adam_half(gradients[i][t], m[i], v[i], settings)
        x = half
        if (t + 1) % settings.period == 0:
            W = weights(t)
            x = np.array([sum(W[i, j] * half[j] for j in range(n)) for i in range(n)])
    return x


def cd_adam(x, gradients, weights, lr, settings, compress, rounds):
    n = len(x)
    x, m, v, xhat = x.copy(), np.zeros_like(x), np.zeros_like(x), np.zeros_like(x)
    for t in range(rounds):
        half = x.copy()
        for i in range(n):
            half[i] = x[i] - lr * adam_half(gradients[i][t], m[i], v[i], settings)
        x = half.copy()
        if (t + 1) % settings.period == 0:
            W = weights(t)
            for i in range(n):
                x[i] = half[i] + settings.gamma * sum(W[i, r] * (xhat[r] - xhat[i]) for r in range(n))
            q = np.array([compress(x[i] - xhat[i]) for i in range(n)])
            xhat = xhat + q
    return x
