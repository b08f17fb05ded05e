#include "BleperaOS.h"
