#!/usr/bin/python3
"""Writes configs/reference/rotating_square_*.csv: a square of an inviscid, incompressible fluid that
turns with nothing round it, benchmark 1 of SPHERIC (Colagrossi, "A meshless Lagrangian method for
free-surface and interface flows with fragmentation", thesis, La Sapienza, Rome 2005).

In the plane vorticity stays with the fluid, so it is 2 Omega for ever and the velocity that of the
turning body and a potential's, v = Omega x r + grad phi. With w = phi + i chi analytic inside and
p = 0 at the surface Bernoulli's equation is

    D phi / Dt = |grad phi|^2 / 2 + Omega^2 r^2 / 2 - 2 Omega chi,

and chi follows from phi on the outline z(s) by Cauchy's integral,

    sum_j (w_j - w_k) z'_j / (z_j - z_k) + w'_k = 0,

whose imaginary kernel is smooth: sums over evenly spaced s converge like the outline's Fourier
series. Corners are rounded by convolution with a Gaussian. Lengths in L, times in 1 / Omega.
"""
import pathlib

import numpy as np

LAST, EVERY = 4.0, 0.1
FOLDER = pathlib.Path(__file__).parent.parent / "configs/reference"


class Outline:
    """4 n points; the quarters are the same but for a turn, and phi the same in each."""

    def __init__(self, n, rounding):
        self.n, self.size = n, 4 * n
        self.s = np.arange(self.size) * 2 * np.pi / self.size
        self.wave = np.fft.fftfreq(self.size, 1 / self.size)
        self.filter = np.exp(-36 * np.abs(2 * self.wave / self.size) ** 12)
        self.z, self.phi = self.square(rounding), np.zeros(self.size)
        self.regrid()

    def square(self, rounding):
        fine = 64 * self.size
        along = np.arange(fine) * 4 / fine
        side = along.astype(int)
        corner = np.array([0.5 - 0.5j, 0.5 + 0.5j, -0.5 + 0.5j, -0.5 - 0.5j])
        z = corner[side] + (corner[(side + 1) % 4] - corner[side]) * (along - side)
        waves = np.fft.fft(z) * np.exp(-(2 * np.pi * np.fft.fftfreq(fine, 4 / fine) * rounding) ** 2 / 2)
        half = self.size // 2
        return np.fft.ifft(np.concatenate([waves[:half], waves[-half:]])) * self.size / fine

    def slope(self, f):
        return np.fft.ifft(1j * self.wave * np.fft.fft(f))

    def smoothed(self, f):
        return np.fft.ifft(self.filter * np.fft.fft(f))

    def conjugate(self, z, zp, phi):
        """chi on the outline, up to a constant."""
        n = self.n
        a = zp / (z - z[:n, None] + np.eye(n, self.size)) * (2 * np.pi / self.size)
        a[np.arange(n), np.arange(n)] = 0
        real, imaginary = (part.reshape(n, 4, n).sum(1) for part in (a.real, a.imag))
        right = real @ phi[:n] - phi[:n] * real.sum(1)
        right += self.slope(phi).real[:n] * 2 * np.pi / self.size
        return np.tile(np.linalg.solve(imaginary - np.diag(imaginary.sum(1)) + 1 / n, right), 4)

    def middle(self, z, zp, w):
        return np.sum(w * zp / z) / (1j * self.size)

    def rates(self, z, phi):
        """dz/dt, D phi / Dt and grad phi, with chi zero in the middle."""
        zp = self.slope(z)
        chi = self.conjugate(z, zp, phi)
        chi = chi - self.middle(z, zp, phi + 1j * chi).imag
        gradient = np.conj(self.slope(phi + 1j * chi) / zp)
        return 1j * z + gradient, np.abs(gradient) ** 2 / 2 + np.abs(z) ** 2 / 2 - 2 * chi, gradient

    def step(self, dt):
        z, phi = self.z, self.phi
        a = self.rates(z, phi)
        b = self.rates(z + dt / 2 * a[0], phi + dt / 2 * a[1])
        c = self.rates(z + dt / 2 * b[0], phi + dt / 2 * b[1])
        d = self.rates(z + dt * c[0], phi + dt * c[1])
        z, phi = (x + dt / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]) for k, x in enumerate((z, phi)))
        self.z, self.phi = self.smoothed(z), self.smoothed(phi).real

    def regrid(self):
        """Points closer together where the outline is curved."""
        n, zp = self.n, self.slope(self.z)
        long = np.abs(zp)
        curved = np.abs(np.imag(np.conj(zp) * self.slope(zp))) / long**3
        density = np.fft.fft(long * (1 + 0.35 * np.sqrt(curved)))
        density = np.fft.ifft(density * np.exp(-(24 * self.wave / self.size) ** 2)).real
        density = np.maximum(density, 0.05 * density.mean())
        ends = np.append(density, density[0])
        passed = np.append(0, np.cumsum((ends[1:] + ends[:-1]) / 2))
        to = np.interp(self.s, passed * 2 * np.pi / passed[-1], np.append(self.s, 2 * np.pi)) - self.s
        waves = np.fft.fft(to)
        waves[np.abs(self.wave) > self.size / 16] = 0
        at = np.exp(1j * np.outer(self.s + np.fft.ifft(waves).real, self.wave)) / self.size
        turns = 1j ** np.arange(4)[:, None]
        quarter = ((at @ np.fft.fft(self.z)).reshape(4, n) / turns).mean(0)
        self.z = (turns * quarter).ravel()
        self.phi = np.tile((at @ np.fft.fft(self.phi)).real.reshape(4, n).mean(0), 4)

    def measure(self):
        """Root mean square of x, pressure in the middle over rho, kinetic energy over rho."""
        z, phi, zp = self.z, self.phi, self.slope(self.z)
        v, rate, gradient = self.rates(z, phi)
        dot = lambda a, b: (np.conj(a) * b).real
        out, ds = -1j * zp, 2 * np.pi / self.size  # the normal, times |zp|
        area, square = np.sum(dot(z, out)) / 2 * ds, np.sum(np.abs(z) ** 2 * dot(z, out)) / 4 * ds
        energy = square / 2 + (np.sum(phi * dot(1j * z, out)) + np.sum(phi * dot(gradient, out)) / 2) * ds
        here = rate - dot(v, gradient)  # d phi / dt
        pressure = -self.middle(z, zp, here + 1j * self.conjugate(z, zp, here)).real
        return np.sqrt(square / area / 2), pressure, energy / area


def run(n, rounding, dt):
    outline, rows = Outline(n, rounding), []
    for k in range(round(LAST / dt) + 1):
        if k % round(EVERY / dt) == 0:
            rows.append(outline.measure())
        outline.step(dt)
        if k % 5 == 4:
            outline.regrid()
    return np.array(rows)


def main():
    coarse, fine = run(128, 0.02, 0.01), run(256, 0.01, 0.005)
    best = fine + (fine - coarse) / 3  # what the rounding takes falls with its square
    kept = abs(fine[:, 2] / fine[0, 2] - 1).max()
    for column, (name, what) in enumerate((("spread", "root of the mean of x^2 over L"),
                                           ("pressure", "pressure in the middle over rho (Omega L)^2"))):
        apart = abs(fine[:, column] / coarse[:, column] - 1).max()
        with (FOLDER / f"rotating_square_{name}.csv").open("w") as f:
            f.write(f"# Square of an inviscid fluid that turns with nothing round it: Omega t, {what}\n"
                    f"# Own boundary integrals, scripts/make_rotating_square.py: energy kept within {kept:.0e},\n"
                    f"# extrapolated from two roundings of the corners that are {apart:.0e} apart\n")
            for k, row in enumerate(best):
                f.write(f"{k * EVERY:.1f},{row[column]:.5f}\n")


if __name__ == "__main__":
    main()
