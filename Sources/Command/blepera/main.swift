import BleperaCommands

runBlepera()
