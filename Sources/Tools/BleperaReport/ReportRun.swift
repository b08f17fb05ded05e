/// What the page shows of one run: a trace, a scenario or a lab. Its names are the keys of the page's data.
///
/// Spans are of three numbers: the first event of the span, the first after it, and a value. So the state after each
/// event is exact, also where several events have the same time.
struct ReportRun: Encodable, Equatable {
  var title: String
  /// Where the events come from, such as the path of the trace.
  var source: String
  var ios: Int
  /// `virtual` or `bluez`; nil in old traces.
  var radio: String?
  /// RFC 3339, UTC; the time from which milliseconds are counted.
  var begun: String
  /// In milliseconds.
  var length = 0
  /// Events that are not in the page.
  var omitted = 0
  var phones: [Phone] = []
  var centrals: [Central] = []
  var airs: [ReportAir] = []
  var kinds: [Kind] = []
  /// Text to which numbers refer.
  var texts: [String] = []
  var events: [Event] = []
  var steps: [Step] = []
  var counts = Counts()

  struct Phone: Encodable, Equatable {
    var name: String
    var apps: [App] = []
    /// Values are indices of `airs`.
    var air: [[Int]] = []
    /// While the radio is off; values are indices of `texts`.
    var off: [[Int]] = []
  }

  struct App: Encodable, Equatable {
    var id: String
    /// Values are indices of `texts`.
    var states: [[Int]] = []
  }

  struct Central: Encodable, Equatable {
    var name: String
    /// Nil where it is unknown.
    var address: String?
    /// Values are indices of `phones`.
    var links: [[Int]] = []
    /// Values are indices of `texts`, in which the phone and the attribute are.
    var subscriptions: [[Int]] = []
  }

  /// A kind of event, or of `state` and its new state.
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

  /// An event, as a list to save room.
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

/// What the page draws with one shape, and shows or hides together.
enum ReportCategory: String, Encodable, CaseIterable {
  case user, state, life, air, link, request, value, problem
}
