"""What a test cell calls; each set's notebook carries a copy, so that it runs with NumPy alone."""

from copy import deepcopy

import numpy as np


class Checks:
    """Add up a test cell's points, and keep what to tell about each check that failed."""

    def __init__(self, most):
        """Start at 0 of ``most`` points."""
        self.most = most
        self.points = 0
        self.messages = []

    def equal(self, points, got, want, mistakes=(), otherwise="结果不对。", tolerance=1e-5):
        """Give the points if ``got()`` equals ``want``.

        ``mistakes`` lists (what to say, the value that this mistake leads to); ``otherwise`` is said when
        none fits.
        """
        try:
            value = got()
        except NotImplementedError:
            return self.tell("还没有作答。")
        except Exception as error:
            return self.tell(f"运行出错：{type(error).__name__}: {error}")
        problem = self.difference(value, want, tolerance)
        if problem is None:
            self.points += points
            return None
        for message, wrong in mistakes:
            if self.difference(value, wrong, tolerance) is None:
                return self.tell(message)
        return self.tell(problem or otherwise)

    def difference(self, value, want, tolerance):
        """Return None if the value equals ``want``, else what is wrong with its form ("": its numbers)."""
        if value is Ellipsis:
            return "还没有作答。"
        if value is None:
            return "结果是 None：函数是不是漏了 return？"
        try:
            value, want = (np.asarray(x.detach() if hasattr(x, "detach") else x) for x in (value, want))
        except Exception:
            return "结果应当是数或者数组。"
        if value.dtype.kind not in "biufc":
            return "结果应当是数或者数组。"
        if value.shape != want.shape:
            longest = max(want.shape, default=0) + 1
            near = value.ndim <= want.ndim + 1 and max(value.shape, default=0) <= longest
            return f"结果的形状应当是 {want.shape}，你的是 {value.shape if near else '别的'}。"
        return None if np.allclose(value, want, rtol=tolerance, atol=tolerance) else ""

    def arguments_after(self, function, *arguments):
        """Call a function on copies of the arguments and return these as it left them."""
        elsewhere = getattr(function, "arguments_after", None)  # where answers run in another process
        if elsewhere:
            return elsewhere(*arguments)
        copies = deepcopy(arguments)
        function(*copies)
        return copies

    def tell(self, message):
        """Keep a message, once."""
        if message not in self.messages:
            self.messages.append(message)

    def result(self):
        """Print what failed and return the points (nbgrader reads a test cell's last value)."""
        for message in self.messages:
            print("✗", message)
        return self.points
