/// One run on the page: a trace, a scenario or a lab. The names of properties are the keys of the page's data.
///
/// A span is three numbers: its first event, the first event after it, and a value. Spans by events, not by times, are
/// exact also if several events have the same time.
struct ReportRun: Encodable, Equatable {
  var title: String
  /// The origin of the events, such as the path of the trace.
  var source: String
  var ios: Int
  /// `virtual`, `bluez` or `controller`; nil in old traces.
  var radio: String?
  /// The time from which milliseconds are counted, in the format of RFC 3339 and in UTC.
  var begun: String
  /// The length of the run in milliseconds.
  var length = 0
  /// The number of events that did not fit on the page.
  var omitted = 0
  var phones: [Phone] = []
  var centrals: [Central] = []
  var airs: [ReportAir] = []
  var kinds: [Kind] = []
  /// The texts to which indices refer.
  var texts: [String] = []
  var events: [Event] = []
  var steps: [Step] = []
  var counts = Counts()

  struct Phone: Encodable, Equatable {
    var name: String
    var apps: [App] = []
    /// Values are indices of `airs`.
    var air: [[Int]] = []
    /// The times at which the radio is off; values are indices of `texts`.
    var off: [[Int]] = []
  }

  struct App: Encodable, Equatable {
    var id: String
    /// Values are indices of `texts`.
    var states: [[Int]] = []
  }

  struct Central: Encodable, Equatable {
    var name: String
    var address: String?
    /// Values are indices of `phones`.
    var links: [[Int]] = []
    /// Values are indices of `texts`; each text names the phone and the attribute.
    var subscriptions: [[Int]] = []
  }

  /// A kind of event; the event `state` has a kind for each new state.
  struct Kind: Encodable, Equatable {
    var id: String
    var category: ReportCategory
    var meaning: String
  }

  struct Step: Encodable, Equatable {
    /// The index of the first event of the step.
    var first: Int
    /// In milliseconds.
    var start: Int
    var end: Int
    var line: Int
    var text: String
    var note: String?
    /// `passed`, `failed`, `error` or `skipped`.
    var outcome: String
    var reason: String?
    var trace: [String]?
  }

  struct Counts: Encodable, Equatable {
    var requests = 0
    var refused = 0
    var notifications = 0
    var connections = 0
    var kills = 0
    var restorations = 0
    var problems = 0
  }

  /// An event, encoded as a list to save room.
  struct Event: Encodable, Equatable {
    /// In milliseconds.
    var time: Int
    /// The line of the trace.
    var line: Int
    /// The index of the phone; nil for an event of the simulated central.
    var phone: Int?
    /// The index of the app on its phone.
    var app: Int?
    var kind: Int
    var label: Int
    var details: Int
    var centrals: [Int]
    /// The numbers of the rules.
    var rules: [Int]
    /// Pairs of name and value.
    var fields: [Int]
    /// Whether a request was refused or an action failed.
    var isProblem: Bool

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      for number in [time, line, phone ?? -1, app ?? -1, kind, label, details] { try list.encode(number) }
      for numbers in [centrals, rules, fields] { try list.encode(numbers) }
      try list.encode(isProblem ? 1 : 0)
    }
  }
}

/// A category of events, which the page draws with one shape, and shows or hides together.
enum ReportCategory: String, Encodable, CaseIterable {
  case user, state, life, air, link, request, value, problem
}
