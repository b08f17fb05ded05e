import Policy
import Profile

/// Every key of a scenario, each declared once.
extension SchemaKey {
  static let title = Self("Title", .string, required: true, "the story in a line")
  static let seed = Self(
    "Seed", .integer, "of what is left to chance on a virtual radio, 0 to 9223372036854775807; default: 0")
  static let phones = Self("Phones", .dictionaries, required: true, "the phones that are there")
  static let centrals = Self("Centrals", .dictionaries, "the centrals that are there; default: none")
  static let steps = Self("Steps", .dictionaries, required: true, "what happens, in its order")

  static let itsName = Self("Name", .string, required: true, "what steps call it")
  static let ios = Self(
    "IOS", .integer, "whose rules hold: \(Quote.list(IOSVersion.allCases.map { "\($0.rawValue)" })); default: 26")
  static let apps = Self("Apps", .dictionaries, required: true, "the apps that are installed on it")
  static let profile = Self(
    "Profile", .profile, required: true, "the app's profile: a path from this file's folder, or the profile itself")
  static let centralKind = Self(
    "Kind", .string,
    "plain, which sees what is on the air, or iOS, which sees what an iPhone's app is told; default: plain")
  static let place = Self(
    "Place", .string, "of a central of the kind iOS: foreground, background or screenOff; default: foreground")

  static let kind = Self(
    "Do", .string, required: true, "which step it is: \(Quote.list(Scenario.Step.Kind.allCases.map(\.rawValue)))")
  static let note = Self("Note", .string, "a sentence that is printed with the step")
  static let app = Self("App", .string, "the app; default: the only one there is")
  static let anyApp = Self("App", .string, "the app; default: every app of the phone")
  static let phone = Self("Phone", .string, "the phone; default: the only one there is")
  static let heardPhone = Self(
    "Phone", .string, "the phone; default: the one that the central has heard last in a scan")
  static let central = Self("Central", .string, "the central; default: the only one there is")
  static let power = Self("Power", .string, required: true, "off, on, or reset, after which apps publish anew")
  static let within = Self(
    "Within", .number, "seconds until when it has to be so, 0.01 to 86400; default: 10")
  static let lookFor = Self("LookFor", .dictionary, "what it scans for; default: anything")
  static let expect = Self("Expect", .dictionary, "what is expected; default: that it is done")
  static let characteristic = Self("Characteristic", .uuid, required: true, "the characteristic's UUID")
  static let written = Self("Value", .hex, required: true, "what is written")
  static let seconds = Self("Seconds", .number, required: true, "how long, 0.001 to 31536000")
  static let realSeconds = Self(
    "RealSeconds", .number, "how long where time is real, on a real radio; default: Seconds")
  static let what = Self(
    "What", .string,
    "what happens, on a virtual radio: \(Quote.list(Scenario.Step.Fault.What.allCases.map(\.rawValue)))")
  static let answerDelay = Self(
    "AnswerDelay", .number, "seconds from then on that the app thinks before it answers, 0 to 60")
  static let loss = Self("Loss", .number, "the chance from then on that an advertisement is missed, 0 to 1")
  static let latency = Self("Latency", .number, "seconds from then on that a packet of a connection takes, 0 to 5")
}
