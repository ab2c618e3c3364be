import os
# read when PyTorch is loaded: threads that wait sleep soon, so that a busy core holds nobody up (nbs/engine/speed)
if 'OMP_WAIT_POLICY' not in os.environ: os.environ.setdefault('GOMP_SPINCOUNT', '10000')

__version__ = "0.1.0"
