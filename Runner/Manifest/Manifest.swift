import CLI
package import Cron
package import FoundationEssentials
package import FunctionKit
package import HTTP1

/// The content of `functions.json`: every function with its triggers and limits, and what else the runner starts.
package struct Manifest: Sendable, Equatable {
  /// The bundle of a `functions.json` that names none, and of triggers from before there were bundles.
  package static let defaultBundle = "default"

  /// The folder that `functions.json` stands in.
  package let directory: String
  /// In the file's order.
  package var functions: [FunctionEntry]
  /// Processes that run beside the functions while the runner serves locally.
  package let services: [ServiceEntry]
  /// Further words of the command line, each an executable of the bundle.
  package let commands: [CommandEntry]
  /// Pages of the console that are the bundle's own, in the menu's order.
  package var panels: [PanelEntry] = []
  /// The experiments that the console and `runner try` offer, in their order.
  package var experiments: [Experiment] = []
  /// The name that people give the bundle; nil if nobody said.
  package var givenTitle: String?
  /// The name that distinguishes this bundle's triggers in a database from those of others.
  package var bundle = Manifest.defaultBundle
  /// Grows with what the functions want to hear of; a lower one leaves the triggers of a higher one alone.
  package var version = 0
  /// Where the bundle's own tables come from, in the order in which they are to be made.
  package var migrations: [MigrationFolder] = []
  /// The folder of an app's own texts, from that of `functions.json` or from the root.
  package var languages: String?
  /// The rules for notifications that stay unread, by their kinds, as JSON for functions; `nil` if there are none.
  package internal(set) var unreadRules: String?
  /// Tables of the migrations whose rows are the app's: functions read them, and write to single columns at most.
  package var appTables: [String] = []
  /// The columns of those tables that functions write, or lock.
  package var appWrites: [AppWrite] = []
  /// Columns of those tables that a database may lack.
  package var mayLack: [SpareColumn] = []
  /// Tables of the migrations that only the roles of some functions may use.
  package var privateTables: [String] = []
  /// Where people stand.
  package var people: PeopleEntry?
  /// The app of rows that name none; nil leaves them as the database has them.
  package var defaultApp: String?
  /// Processes of all functions together at the same time.
  package var concurrency = 32
  package var history = History()
  /// Functions that another runner has.
  package var elsewhere: [FunctionEntry] = []
  /// Whether the runner takes calls of functions over HTTP; else another runner does.
  package var takesCalls = true
  /// Whether the runner fires schedules; else another runner does.
  package var firesSchedules = true
  /// Views whose rows `/metrics` shows.
  package var metrics: [MetricsView] = []
  /// The function whose lines `runner clock` shows beside the functions' runs.
  package var journal: JournalFunction?
  /// The view whose rows say in `line` what work waits because something outside is away.
  package var outages: TableName?

  /// The functions of whose events no notification comes.
  package var upkeep: Set<String> { Set(functions.filter(\.isUpkeep).map(\.name)) }
  /// The functions whose dry runs tell whether a tick has anything to do.
  package var rehearsing: [String] { functions.filter(\.rehearses).map(\.name) }

  /// The functions that another runner takes calls of.
  package var calledElsewhere: [FunctionEntry] { takesCalls ? elsewhere : elsewhere + functions }

  /// The manifest with the functions whose schedules the runner fires.
  package var scheduled: Manifest { firesSchedules ? self : with(functions: []) }

  private func with(functions: [FunctionEntry]) -> Manifest {
    var manifest = self
    manifest.functions = functions
    return manifest
  }

  package subscript(name: String) -> FunctionEntry? { functions.first { $0.name == name } }

  /// The error that says that there is no function of that name, and which one may be meant.
  package func lacks(_ function: String) -> FunctionError {
    let near = Suggestion.phrase(for: function, among: functions.map(\.name))
    return FunctionError(.usage, "There is no function \(function);\(near) see runner list.")
  }
}

/// The parts of ended events that are kept, and for how long.
package struct History: Sendable, Equatable {
  /// Whether whole events are kept, for `runner resend` and `runner export`.
  package var keepsPayloads = true
  /// The number of hours for which whole events are kept.
  package var payloadHours = 24
  /// The number of days for which the result of each attempt is kept.
  package var days = History.usualDays

  package static let usualDays = 7

  /// Whether what ended at an instant is surely kept still.
  package func has(_ instant: Date) -> Bool { instant > .now - Double(days) * 86_400 }
}

/// One function of the manifest.
package struct FunctionEntry: Sendable, Equatable {
  package var name: String
  package var triggers: [Trigger] = []
  /// The column whose value orders a function's row events: those of one value run one after the other.
  package var key: String?
  package var mode = Mode.warm
  /// Where it runs, if that is not here.
  package var target: TargetEntry?
  /// Processes of the function at the same time; for one that runs elsewhere, events that are on their way to it.
  package var concurrency = 2
  /// The connections to the database that each of its processes has at most, where it gets `DATABASE_URL`.
  package var connections = 1
  /// The most events that a warm process gets at once, or that a request has; `nil` if each comes alone.
  package var batch: Int?
  /// Seconds that one event may take.
  package var timeout = 30
  /// How often a queued event is tried in all before it becomes a dead letter.
  package var attempts = 8
  /// Seconds since its event after which a failed attempt is not followed by another.
  package var maxAge = 86_400
  /// The effect of a failed event on the events behind it with the same key.
  package var onFailure = OnFailure.continue
  /// Columns and members whose values never leave the database in histories, output or fixtures.
  package var redact: [String] = []
  /// Names of the environment variables that the function gets, or that its requests need; it gets no others.
  package var environment: [String] = []
  /// The environment entries that it does without.
  package var optional: Set<String> = []
  /// Whether a dry run of a tick tells if there is anything to do: if not, its result has no number but 0.
  package var rehearses = false
  /// Whether no notification comes of its events: those that ended well are counted between others, and not listed.
  package var isUpkeep = false
  /// Values of variables that `functions.json` itself gives.
  package var settings: [String: String] = [:]
  /// A sample event, relative to the manifest.
  package var sample: String?
  /// The program, relative to the manifest; else the one of the function's name beside the runner.
  package var executable: String?

  /// The largest batch: after a crash each of its events runs in a process of its own.
  package static let largestBatch = 512

  /// The most events of one key that are handed over together: one if a failed event must keep back those behind it, or
  /// if requests could overtake each other.
  package var eventsOfKey: Int { onFailure == .block || target != nil ? 1 : batch ?? 1 }

  package enum Mode: String, Sendable, CaseIterable {
    /// A pool of `--stream` processes.
    case warm
    /// One process an event.
    case oneshot
    /// None: its events end at once, to drain a backlog on purpose or to measure the queue.
    case discard
  }

  package enum OnFailure: String, Sendable, CaseIterable {
    /// They go on; the failed one is tried again beside them.
    case `continue`
    /// They wait until it succeeds, or until its dead letter is retried or purged.
    case block
  }
}

/// A reason for a function to run.
///
/// Every function can also be called over HTTP by its name.
package enum Trigger: Sendable, Equatable {
  case table(TableTrigger)
  case schedule(ScheduleTrigger)
  case notify(NotifyTrigger)
  case http(HTTPTrigger)

  package var isNotify: Bool { if case .notify = self { true } else { false } }
}

/// Row changes of one table.
package struct TableTrigger: Sendable, Equatable {
  package var schema = "public"
  package var table: String
  /// The table with its schema.
  package var name: TableName { TableName(schema: schema, table: table) }
  package var operations: [Operation]
  /// An update that changes none of these makes no event; all columns count where the list is empty.
  package var columns: [String] = []
  /// Only rows that have these values, as text, in these columns make events; all rows where it is empty.
  package var filter: [String: String] = [:]
  /// Whether what functions write for themselves, and say so, makes events as well.
  package var ownWrites = true

  package enum Operation: String, Sendable, CaseIterable, Comparable {
    case insert = "INSERT"
    case update = "UPDATE"
    case delete = "DELETE"

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }
}

/// A cron schedule.
package struct ScheduleTrigger: Sendable, Equatable {
  package var expression: CronExpression
  package var timezone = "UTC"
  package var catchUp = CatchUp.Policy.one
  package var overlap = Overlap.queue

  /// The treatment of an occurrence while the one before has not ended.
  package enum Overlap: String, Sendable, CaseIterable {
    /// It is left out.
    case skip
    /// It waits.
    case queue
    /// Both run.
    case allow
  }
}

/// The rules who may call a function over HTTP.
package struct HTTPTrigger: Sendable, Equatable {
  /// The largest body that the gateway takes, in bytes.
  package static let mostBytes = 1 << 20

  package var auth = Auth.key
  /// For ``Auth/signature``: the environment variable with the secrets, `whsec_…`, separated by spaces if several.
  package var secret: String?
  /// For ``Auth/function``: further methods and paths that lead to it.
  package var routes: [RoutePattern] = []
  /// For ``Auth/function``: calls a minute of one caller; `nil` for any number.
  package var callsPerMinute: Int?
  /// For ``Auth/function``: the largest body of a call, in bytes; `nil` for the gateway's own limit.
  package var largestBody: Int?
  /// For ``Auth/function``: what a page that it answers may do in a browser.
  package var pages = Pages.still

  package enum Pages: String, Sendable, CaseIterable {
    /// Neither scripts nor forms.
    case still
    /// Forms, and no scripts.
    case forms
    /// Everything that the function's own header fields allow, as a part of this site: in the console, too.
    case trusted
  }

  package enum Auth: String, Sendable, CaseIterable {
    /// Callers with the runner's own key; everybody on this machine while there is none.
    case key
    /// Everybody: the function checks its own bearer token.
    case function
    /// Callers that sign as Standard Webhooks says.
    case signature
  }
}

/// A signal that there may be work, from the inserts of one table; several at once become one.
package struct NotifyTrigger: Sendable, Equatable {
  package var schema = "public"
  package var table: String
  /// The table with its schema.
  package var name: TableName { TableName(schema: schema, table: table) }
}

/// A word of the command line that another executable carries out.
package struct CommandEntry: Sendable, Equatable {
  /// One word, or a command of the runner's own and what it looks at: `pushes`, `doctor push`.
  package var name: String
  package var executable: String
  package var arguments: [String] = []
  package var summary = ""
  /// Whether its program knows `--stream`, too: the console's pages ask it again and again, and it stays.
  package var isWarm = false

  /// Whether a command of the runner's own may be followed by a word of the bundle's.
  package static func takesSubjects(_ command: String) -> Bool { command == "doctor" }
}

extension FunctionEntry {
  /// A program with no triggers that gets these variables, and can do without them.
  package init(_ name: String, optional variables: [String]) {
    self.init(name: name)
    (environment, optional) = (variables, Set(variables))
  }

  /// The rules who may call it over HTTP.
  package var http: HTTPTrigger {
    for case .http(let trigger) in triggers { return trigger }
    return HTTPTrigger()
  }

  /// The calls by which it changes something, if nothing else starts it; `nil` if something does.
  package var onlyCalls: [String]? {
    guard triggers.allSatisfy({ if case .http = $0 { true } else { false } }) else { return nil }
    let routes = http.routes.filter { $0.method != "GET" }.map(\.description)
    return routes.isEmpty ? ["POST /functions/v1/\(name)"] : routes
  }
}
