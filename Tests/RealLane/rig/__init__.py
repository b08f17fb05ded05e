"""The rig of the real lane: a micro-VM with a real bluetoothd, and the air around it."""
