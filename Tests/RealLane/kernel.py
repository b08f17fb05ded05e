"""Makes the kernel that the micro-VM boots, where it is not in the cache yet."""

import sys

from rig import image
from rig.errors import RigError

try:
    image.kernel()
except RigError as error:
    sys.exit(str(error))
