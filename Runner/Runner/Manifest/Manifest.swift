import Cron

/// What `functions.json` says: every function with its triggers and limits, and what else the runner starts.
struct Manifest: Sendable, Equatable {
  /// Whose triggers are those of a `functions.json` that names no bundle, and of databases from before there were bundles.
  static let defaultBundle = "default"

  /// The folder that `functions.json` stands in.
  let directory: String
  /// In the file's order.
  var functions: [FunctionEntry]
  /// Processes that run beside the functions while the runner serves locally.
  let services: [ServiceEntry]
  /// Further words of the command line, each an executable of the bundle.
  let commands: [CommandEntry]
  /// What tells the triggers of this bundle in a database from those of others.
  var bundle = Manifest.defaultBundle
  /// Grows with what the functions want to hear of; a lower one leaves the triggers of a higher one alone.
  var version = 0
  /// The app of rows that name none; nil leaves them as the database has them.
  var defaultApp: String?
  /// Processes of all functions together at the same time.
  var concurrency = 32
  var history = History()
  /// Functions that another runner has.
  var elsewhere: [FunctionEntry] = []
  /// Views whose rows `/metrics` shows.
  var metrics: [MetricsView] = []

  /// The functions whose dry runs tell whether a tick has anything to do.
  var rehearsing: [String] { functions.filter(\.rehearses).map(\.name) }

  /// The function of that name.
  subscript(name: String) -> FunctionEntry? { functions.first { $0.name == name } }
}

/// What is kept of events that have ended.
struct History: Sendable, Equatable {
  /// Whether whole events are kept, for `runner rerun` and `runner record`.
  var keepsPayloads = true
  /// Whole events are kept so long, in hours.
  var payloadHours = 24
  /// What became of each attempt is kept so long, in days.
  var days = 7
}

/// One function of the manifest.
struct FunctionEntry: Sendable, Equatable {
  var name: String
  var triggers: [Trigger] = []
  /// The column whose value orders a function's row events: those of one value run one after the other.
  var key: String?
  var mode = Mode.warm
  /// Processes of the function at the same time.
  var concurrency = 2
  /// Seconds that one event may take.
  var timeout = 30
  /// How often a queued event is tried in all before it becomes a dead letter.
  var attempts = 8
  /// Seconds since its event after which a failed attempt is not followed by another.
  var maxAge = 86_400
  /// What a failed event does to the events of its key behind it.
  var onFailure = OnFailure.continue
  /// Columns and members whose values never leave the database in histories, output or fixtures.
  var redact: [String] = []
  /// Names of the environment variables that the function gets; it gets no others.
  var environment: [String] = []
  /// Those of them that it does without.
  var optional: Set<String> = []
  /// Whether a dry run of a tick tells if there is anything to do: if not, its result has no number but 0.
  var rehearses = false
  /// Values of variables that `functions.json` itself gives.
  var settings: [String: String] = [:]
  /// A sample event, relative to the manifest.
  var sample: String?
  /// The program, relative to the manifest; else the one of the function's name beside the runner.
  var executable: String?

  enum Mode: String, Sendable, CaseIterable {
    /// A pool of `--stream` processes.
    case warm
    /// One process an event.
    case oneshot
    /// None: its events end at once, to drain a backlog on purpose or to measure the queue.
    case discard
  }

  enum OnFailure: String, Sendable, CaseIterable {
    /// They go on; the failed one is tried again beside them.
    case `continue`
    /// They wait until it succeeds, or until its dead letter is replayed or purged.
    case block
  }
}

/// What makes a function run.
///
/// Every function can also be called over HTTP by its name.
enum Trigger: Sendable, Equatable {
  case table(TableTrigger)
  case schedule(ScheduleTrigger)
  case notify(NotifyTrigger)
  case http(HTTPTrigger)
}

/// Row changes of one table.
struct TableTrigger: Sendable, Equatable {
  var schema = "public"
  var table: String
  var operations: [Operation]
  /// An update that changes none of these makes no event; all columns count where the list is empty.
  var columns: [String] = []
  /// Only rows that have these values, as text, in these columns make events; all rows where it is empty.
  var filter: [String: String] = [:]
  /// Whether what functions write for themselves, and say so, makes events as well.
  var ownWrites = true

  enum Operation: String, Sendable, CaseIterable, Comparable {
    case insert = "INSERT"
    case update = "UPDATE"
    case delete = "DELETE"

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
}

/// A cron schedule.
struct ScheduleTrigger: Sendable, Equatable {
  var expression: CronExpression
  var timezone = "UTC"
  var catchUp = CatchUp.Policy.one
  var overlap = Overlap.queue

  /// What happens to an occurrence while the one before has not ended.
  enum Overlap: String, Sendable, CaseIterable {
    /// It is left out.
    case skip
    /// It waits.
    case queue
    /// Both run.
    case allow
  }
}

/// Who may call a function over HTTP.
struct HTTPTrigger: Sendable, Equatable {
  /// The largest body that the gateway takes, in bytes.
  static let mostBytes = 1 << 20

  var auth = Auth.key
  /// For ``Auth/signature``: the environment variable with the secrets, `whsec_…`, apart by spaces during a rotation.
  var secret: String?
  /// For ``Auth/function``: further methods and paths that lead to it.
  var routes: [RoutePattern] = []
  /// For ``Auth/function``: calls a minute of one caller; `nil` for any number.
  var callsPerMinute: Int?
  /// For ``Auth/function``: the largest body of a call, in bytes; `nil` for the gateway's own limit.
  var largestBody: Int?

  enum Auth: String, Sendable, CaseIterable {
    /// Callers with the runner's own key; on loopback everybody while there is none.
    case key
    /// Everybody: the function checks its own bearer token.
    case function
    /// Callers that sign as Standard Webhooks says.
    case signature
  }
}

/// A signal that there may be work, from the inserts of one table; several at once become one.
struct NotifyTrigger: Sendable, Equatable {
  var schema = "public"
  var table: String
}

/// A word of the command line that another executable carries out.
struct CommandEntry: Sendable, Equatable {
  /// One word, or a command of the runner's own and what it looks at: `pushes`, `doctor push`.
  var name: String
  var executable: String
  var arguments: [String] = []
  var summary = ""

  /// Whether a command of the runner's own may be followed by a word of the bundle's.
  static func takesSubjects(_ command: String) -> Bool { command == "doctor" }
}
