extension Trace {
  /// Adapters and daemons that appear, disappear and lose power.
  static let adapters: [Trace] = [
    Trace(
      "items are registered once there is an adapter",
      """
      add app1
      ? isSettled yes
      targetChanged hci0 on -> register app1 hci0 #1
      ? isSettled no
      ? isRegistered app1 no
      registered app1 #1 -> didRegister app1
      ? isRegistered app1 yes
      add app1
      """
    ),
    Trace(
      "applications are registered before advertisements, each in the order of their numbers",
      """
      add ad2
      add app2
      add ad1
      add app1
      targetChanged hci0 on -> register app1 hci0 #1, register app2 hci0 #2
      registered app2 #2 -> didRegister app2
      registered app1 #1 -> didRegister app1, register ad1 hci0 #3, register ad2 hci0 #4
      """
    ),
    Trace(
      "a removed application does not delay an advertisement",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      remove app1
      add ad1 -> register ad1 hci0 #2
      registered app1 #1 -> unregister app1 hci0 #3
      """
    ),
    Trace(
      "advertisements need a powered adapter, applications do not",
      """
      add app1
      add ad1
      targetChanged hci0 off -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      targetChanged hci0 on -> register ad1 hci0 #2
      """
    ),
    Trace(
      "switching the adapter off and on registers the advertisement again and keeps the application",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      add ad1 -> register ad1 hci0 #2
      registered ad1 #2 -> didRegister ad1
      targetChanged hci0 off -> didLose ad1
      ? isRegistered ad1 no
      ? isRegistered app1 yes
      targetChanged hci0 on -> unregister ad1 hci0 #3, register ad1 hci0 #4
      unregistered ad1 #3
      registered ad1 #4 -> didRegister ad1
      """
    ),
    Trace(
      "an advertisement whose adapter is switched off during the registration is lost",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      targetChanged hci0 off
      registered ad1 #1
      ? isRegistered ad1 no
      targetChanged hci0 on -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "an advertisement whose adapter is switched off and on during the registration is registered again",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      targetChanged hci0 off
      targetChanged hci0 on
      registered ad1 #1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      """
    ),
    Trace(
      "an advertisement whose adapter is switched off during a refresh is lost, and registered again",
      after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      targetChanged hci0 off -> didLose ad1
      unregistered ad1 #2
      registered ad1 #3
      targetChanged hci0 on -> unregister ad1 hci0 #4, register ad1 hci0 #5
      registered ad1 #5 -> didRegister ad1
      """
    ),
    Trace(
      "an advertisement whose daemon ends during a refresh is lost, and registered again", after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      targetChanged none -> didLose ad1
      targetChanged hci0 on -> register ad1 hci0 #4
      """
    ),
    Trace(
      "an advertisement whose refresh failed is not lost again when the adapter is switched off", after: .registered,
      """
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      failed ad1 #3 Failed -> didFail ad1 Failed 1, retry ad1 #4 0.1 seconds
      targetChanged hci0 off
      targetChanged hci0 on -> register ad1 hci0 #5
      """
    ),
    Trace(
      "a registration that failed on an adapter without power is retried when the adapter is on",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      targetChanged hci0 off
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      retryDue ad1 #2
      ? isSettled yes
      targetChanged hci0 on -> register ad1 hci0 #3
      """
    ),
    Trace(
      "switching the adapter on ends the delay of a retry",
      """
      targetChanged hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      targetChanged hci0 off
      targetChanged hci0 on -> register ad1 hci0 #3
      retryDue ad1 #2
      failed ad1 #3 Failed -> didFail ad1 Failed 1, retry ad1 #4 0.1 seconds
      """
    ),
    Trace(
      "removing the adapter loses every registration, and its return registers all of them again",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      add ad1
      registered app1 #1 -> didRegister app1, register ad1 hci0 #2
      registered ad1 #2 -> didRegister ad1
      targetChanged none -> didLose app1, didLose ad1
      ? isSettled yes
      targetChanged hci0 off -> register app1 hci0 #3
      registered app1 #3 -> didRegister app1
      targetChanged hci0 on -> register ad1 hci0 #4
      """
    ),
    Trace(
      "a change of the adapter registers everything on the new one",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      targetChanged hci1 on -> didLose app1, register app1 hci1 #2
      """
    ),
    Trace(
      "a reply of a daemon that has ended is ignored",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      add ad1
      targetChanged none
      targetChanged hci0 on -> register app1 hci0 #2
      registered app1 #1
      failed app1 #1 Failed
      ? isRegistered app1 no
      registered app1 #2 -> didRegister app1, register ad1 hci0 #3
      targetChanged none -> didLose app1
      unregistered ad1 #3
      failed ad1 #3 disconnected
      ? isSettled yes
      """
    ),
    Trace(
      "a daemon that ends during an unregistration completes it",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      targetChanged none -> didUnregister app1
      targetChanged hci0 on
      unregistered app1 #2
      ? isSettled yes
      """
    ),
    Trace(
      "a refresh while the adapter is off waits until it is on", after: .registered,
      """
      targetChanged hci0 off -> didLose ad1
      refresh ad1
      targetChanged hci0 on -> unregister ad1 hci0 #2, register ad1 hci0 #3
      """
    ),
    Trace(
      "a removed item is unregistered from an adapter that is off, too", after: .registered,
      """
      targetChanged hci0 off -> didLose ad1
      remove ad1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    Trace(
      "an advertisement that was lost with the power is not lost again when it is released", after: .registered,
      """
      targetChanged hci0 off -> didLose ad1
      released ad1 -> retry ad1 #2 0.1 seconds
      targetChanged hci0 on -> register ad1 hci0 #3
      """
    ),
    Trace(
      "removing the adapter resets the count of failures",
      """
      targetChanged hci0 on
      add app1 -> register app1 hci0 #1
      failed app1 #1 Failed -> didFail app1 Failed 1, retry app1 #2 0.1 seconds
      targetChanged none
      targetChanged hci0 on -> register app1 hci0 #3
      retryDue app1 #2
      failed app1 #3 Failed -> didFail app1 Failed 1, retry app1 #4 0.1 seconds
      """
    ),
  ]
}
