extension Trace {
  /// What is wanted, renewed and no longer wanted in a world that stays as it is.
  static let wishes: [Trace] = [
    Trace(
      "other content replaces what is registered",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      refresh ad1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      refresh ad1
      unregistered ad1 #2
      registered ad1 #3 -> unregister ad1 hci0 #4, register ad1 hci0 #5
      registered ad1 #5 -> didRegister ad1
      """
    ),
    Trace(
      "other content during a registration is registered after it",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      refresh ad1
      refresh ad1
      registered ad1 #1 -> unregister ad1 hci0 #2, register ad1 hci0 #3
      unregistered ad1 #2
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "what is renewed while it waits, or while nothing is known of it, needs nothing",
      """
      refresh ad1
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      refresh ad1
      retry ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
    Trace(
      "of several replaced at once all that go are told before any that comes",
      """
      target hci0 on
      replace *ad0 *ad1 -> register ad0 hci0 #1, register ad1 hci0 #2
      registered ad0 #1 -> didRegister ad0
      registered ad1 #2 -> didRegister ad1
      replace *ad0 *ad1 -> unregister ad0 hci0 #3, unregister ad1 hci0 #5, register ad0 hci0 #4, register ad1 hci0 #6
      unregistered ad0 #3
      unregistered ad1 #5
      registered ad0 #4 -> didRegister ad0
      registered ad1 #6 -> didRegister ad1
      replace -ad1 *ad0 -> unregister ad0 hci0 #7, unregister ad1 hci0 #9, register ad0 hci0 #8
      registered ad0 #8 -> didRegister ad0
      unregistered ad1 #9 -> didUnregister ad1
      """
    ),
    Trace(
      "while an old one is on its way to the air nothing new is sent after it",
      """
      target hci0 on
      replace *ad0 *ad1 -> register ad0 hci0 #1, register ad1 hci0 #2
      registered ad0 #1 -> didRegister ad0
      replace -ad1 *ad0 -> unregister ad0 hci0 #3
      unregistered ad0 #3
      registered ad1 #2 -> unregister ad1 hci0 #5, register ad0 hci0 #4
      unregistered ad1 #5 -> didUnregister ad1
      registered ad0 #4 -> didRegister ad0
      """
    ),
    Trace(
      "what is no longer wanted goes",
      """
      target hci0 on
      add app1 -> register app1 hci0 #1
      registered app1 #1 -> didRegister app1
      remove app1 -> unregister app1 hci0 #2
      ? busy
      remove app1
      unregistered app1 #2 -> didUnregister app1
      ? quiet
      remove app1
      """
    ),
    Trace(
      "what is no longer wanted before it could be registered is gone at once",
      """
      add ad1
      remove ad1 -> didUnregister ad1
      ? quiet
      """
    ),
    Trace(
      "what is no longer wanted during its registration goes after it",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      remove ad1
      registered ad1 #1 -> unregister ad1 hci0 #2
      unregistered ad1 #2 -> didUnregister ad1
      """
    ),
    Trace(
      "what is no longer wanted while it waits is gone at once",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      failed ad1 #1 Failed -> didFail ad1 Failed 1, retry ad1 #2 0.1 seconds
      remove ad1 -> didUnregister ad1
      retry ad1 #2
      ? quiet
      """
    ),
    Trace(
      "what is wanted again while it goes comes back",
      """
      target hci0 on
      add ad1 -> register ad1 hci0 #1
      registered ad1 #1 -> didRegister ad1
      remove ad1 -> unregister ad1 hci0 #2
      add ad1
      unregistered ad1 #2 -> register ad1 hci0 #3
      registered ad1 #3 -> didRegister ad1
      """
    ),
  ]
}
