import TestSupport

/// A database that an app has made for itself, before the bundle came.
enum ForeignDatabase: CaseIterable, Sendable {
  /// FeedbackKit before its plan for pushes, after that plan's migrations, and after that plan's SQL.
  case feedbackKit, feedbackKitAfterFluent, feedbackKitAfterSQL
  /// Mugshot on Supabase, its people in `auth.users`.
  case mugshot
  /// Repair Minder, its ids from sequences.
  case repairMinder
  /// LockItIn on Supabase.
  case lockItIn

  var app: String {
    switch self {
    case .feedbackKit, .feedbackKitAfterFluent, .feedbackKitAfterSQL: "feedbackkit"
    case .mugshot: "mugshot"
    case .repairMinder: "repairminder"
    case .lockItIn: "lockitin"
    }
  }

  var server: RoleServer {
    switch self {
    case .mugshot, .lockItIn: .supabase
    default: .plain
    }
  }

  /// The scripts that make it, in `Tests/FunctionTests/Databases`.
  var scripts: [String] {
    switch self {
    case .feedbackKit: ["feedbackkit"]
    case .feedbackKitAfterFluent: ["feedbackkit", "feedbackkit.fluent"]
    case .feedbackKitAfterSQL: ["feedbackkit", "feedbackkit.plan"]
    case .mugshot: ["mugshot.supabase"]
    case .repairMinder: ["repairminder.bigserial"]
    case .lockItIn: ["lockitin", "lockitin.supabase"]
    }
  }

  /// The columns that cannot be used as they are: `runner migrate` refuses them by name.
  var unfit: Set<String> {
    self == .repairMinder
      ? ["device_tokens.id", "device_tokens.platform", "notifications.id", "notifications.type"] : []
  }

  /// The functions that its developer takes out of `functions.json`, because their tables are about something else here, and
  /// what of others goes with them: `runner migrate` refuses each by name.
  var left: (functions: Set<String>, trigger: String) {
    guard self == .mugshot else { return ([], "") }
    let trigger = #"{ "table": "friend_requests", "events": ["UPDATE"], "columns": ["status"] },"#
    return (["comment-added", "friend-requested"], trigger)
  }

  /// `functions.json` without them.
  func leaving(_ manifest: String) throws -> String {
    try left.functions.reduce(left.trigger.isEmpty ? manifest : manifest.replacing(left.trigger, with: "")) {
      text, function in
      guard let start = text.firstRange(of: "    \"\(function)\": {"),
        let end = text[start.upperBound...].firstRange(of: "\n    },\n")
      else { throw ProgramFailure(description: "functions.json has no \(function)") }
      return String(text[..<start.lowerBound] + text[end.upperBound...])
    }
  }

  /// Its developer's members of `functions.json`: the app whose rows name none, and where its people stand.
  var members: [(place: String, text: String)] {
    let own = (#""privateTables""#, #""defaultApp": "\#(app)", "privateTables""#)
    let people = """
      "into": "users", "table": "auth.users", "email": "email", "name": "raw_user_meta_data ->> 'name'",
      "verified": "email_confirmed_at IS NOT NULL"
      """
    return self == .mugshot ? [own, (#""into": "users""#, people)] : [own]
  }

  /// Whether the app's own columns say that an entry is unread, as SQL; nil where it has no table `notifications`.
  var isUnread: String? {
    switch app {
    case "mugshot": "read_at IS NULL"
    case "repairminder": "is_read IS NOT TRUE"
    case "lockitin": "is_read IS NOT TRUE AND is_archived IS NOT TRUE"
    default: nil
    }
  }

  /// Those whose apps sign in by themselves and register a phone over the API.
  var callers: [String] { app == "feedbackkit" ? ["ada", "ben", "grace"] : ["ada"] }
}
