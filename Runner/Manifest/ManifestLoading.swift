import Cron
import FunctionKit
import HTTP1
import System
import TimeZones

extension Manifest {
  /// Reads and checks `functions.json`.
  ///
  /// - Parameter directory: where it stands, and where the paths in it begin.
  package init(directory: String) throws(ManifestError) {
    let file = "functions.json"
    guard let text = TextFile.read("\(directory)/\(file)", last: 1 << 20) else {
      throw ManifestError(file: "\(directory)/\(file)", line: nil, path: "", problem: "cannot be read")
    }
    try self.init(text: Array(text.utf8), file: file, directory: directory)
  }

  package init(text: [UInt8], file: String, directory: String) throws(ManifestError) {
    let root: ManifestNode
    do {
      root = ManifestNode(file: file, text: text, path: "", value: try RawJSON(validating: text[...]))
    } catch {
      let line = text.prefix(error.offset).count { $0 == 0x0A } + 1
      throw ManifestError(file: file, line: line, path: "", problem: "is not valid JSON: \(error.problem)")
    }
    let members = try root.members(allowed: [
      "$schema", "bundle", "version", "functions", "services", "commands", "concurrency", "history", "metrics",
      "defaultApp", "apps", "migrations", "appTables", "appWrites", "mayLack", "people", "journal", "outages",
      "privateTables", "languages", "kinds",
      "panels", "experiments", "title",
    ])
    guard let list = members["functions"] else { throw root.error("has no \"functions\"") }
    var functions: [FunctionEntry] = []
    for (name, node) in try list.members() {
      let function = try FunctionEntry(name: name, node)
      try node.checkRoutes(of: function, besides: functions)
      functions.append(function)
    }
    var services: [ServiceEntry] = []
    for (name, node) in try members["services"]?.members() ?? [] {
      services.append(try ServiceEntry(name: name, node))
    }
    var commands: [CommandEntry] = []
    for (name, node) in try members["commands"]?.members() ?? [] {
      commands.append(try CommandEntry(name: name, node))
    }
    self.init(directory: directory, functions: functions, services: services, commands: commands)
    for (name, node) in try members["panels"]?.members() ?? [] {
      panels.append(try PanelEntry(name: name, node, of: commands))
    }
    for (name, node) in try members["experiments"]?.members() ?? [] {
      experiments.append(try Experiment(name: name, node, of: panels))
    }
    givenTitle = try members["title"]?.string()
    if let node = members["bundle"] {
      bundle = try node.string()
      guard FunctionEntry.isName(bundle) else {
        throw node.error("is not a bundle's name: lower-case letters, digits and single hyphens")
      }
    }
    version = try members["version"]?.integer(0...Int(Int32.max), unit: "versions") ?? version
    if let node = members["migrations"] { migrations = try MigrationFolder.all(node, in: directory) }
    appTables = try members["appTables"]?.strings() ?? []
    if let node = members["appWrites"] { appWrites = try AppWrite.all(node, of: appTables) }
    if let node = members["mayLack"] { mayLack = try SpareColumn.all(node, of: appTables) }
    people = try members["people"].map(PeopleEntry.init)
    privateTables = try members["privateTables"]?.strings() ?? []
    concurrency = try members["concurrency"]?.integer(1...512, unit: "processes") ?? concurrency
    if let node = members["history"] { history = try History(node) }
    let apps = try members["apps"].map(App.all) ?? []
    setTopics(apps)
    if let node = members["languages"] { try setLanguages(node) }
    if let node = members["kinds"] { try setKinds(node, of: apps) }
    for (name, node) in try list.members() { try node.checkKey(of: self[name]) }
    if let node = members["defaultApp"] {
      let app = try node.string()
      guard apps.contains(where: { $0.name == app }) else {
        throw node.error("must be one of \"apps\": \(apps.map(\.name).sorted().joined(separator: ", "))")
      }
      defaultApp = app
    }
    if let node = members["journal"] { journal = JournalFunction(name: try node.tableName().sql) }
    outages = try members["outages"]?.tableName()
    for node in try members["metrics"]?.elements() ?? [] { metrics.append(try MetricsView(node)) }
  }
}

extension History {
  package init(_ node: ManifestNode) throws(ManifestError) {
    let members = try node.members(allowed: ["payloads", "payloadHours", "days"])
    keepsPayloads = try members["payloads"]?.boolean() ?? keepsPayloads
    payloadHours = try members["payloadHours"]?.integer(1...720, unit: "hours") ?? payloadHours
    days = try members["days"]?.integer(1...365, unit: "days") ?? days
  }
}

extension MetricsView {
  package init(_ node: ManifestNode) throws(ManifestError) {
    let view = try node.tableName()
    let name = view.table
    guard MetricsView.isMetricName(name), !["push_runner_", "process_"].contains(where: name.hasPrefix) else {
      throw node.error(
        "must be a view whose name can be a metric's: letters, digits and _, not push_runner_ or process_")
    }
    self.init(schema: view.schema, name: name)
  }
}

extension FunctionEntry {
  package init(name: String, _ node: ManifestNode) throws(ManifestError) {
    guard Self.isName(name) else {
      throw node.error("is not a function's name: lower-case letters, digits and single hyphens")
    }
    self.init(name: name)
    let allowed = [
      "triggers", "key", "mode", "concurrency", "timeout", "attempts", "environment", "sample", "executable",
      "maxAge", "onFailure", "redact", "rehearses", "upkeep", "batch", "url", "connections",
    ]
    let members = try node.members(allowed: allowed + TargetEntry.members)
    target = try TargetEntry(members)
    for trigger in try members["triggers"]?.elements() ?? [] { triggers.append(try Trigger(trigger)) }
    key = try members["key"]?.string()
    mode = try members["mode"]?.choice(Mode.self) ?? mode
    if let target {
      (environment, optional) = (target.variables, [])
      let most = 1...TargetEntry.mostInFlight
      concurrency = try members["concurrency"]?.integer(most, unit: "requests") ?? TargetEntry.usuallyInFlight
      if target.region != nil {
        environment.append(TargetEntry.AWS.sessionToken)
        optional.insert(TargetEntry.AWS.sessionToken)
      }
    } else {
      concurrency = try members["concurrency"]?.integer(1...64, unit: "processes") ?? concurrency
    }
    connections = try members["connections"]?.integer(1...64, unit: "connections") ?? connections
    batch = try members["batch"]?.integer(1...Self.largestBatch, unit: "events")
    if let node = members["batch"], mode != .warm {
      throw node.error("hands several events to one warm process, so \"mode\" must be warm")
    }
    timeout = try members["timeout"]?.integer(1...900, unit: "seconds") ?? timeout
    attempts = try members["attempts"]?.integer(1...100, unit: "attempts") ?? attempts
    maxAge = try members["maxAge"]?.integer(1...2_592_000, unit: "seconds") ?? maxAge
    onFailure = try members["onFailure"]?.choice(OnFailure.self) ?? onFailure
    if onFailure == .block, key == nil {
      throw node.error("has \"onFailure\": \"block\", but no \"key\" whose events could wait")
    }
    redact = try members["redact"]?.strings() ?? []
    for name in try members["environment"]?.strings() ?? [] {
      let isOptional = name.hasSuffix("?")
      environment.append(isOptional ? String(name.dropLast()) : name)
      if isOptional { optional.insert(String(name.dropLast())) }
    }
    rehearses = try members["rehearses"]?.boolean() ?? rehearses
    if let node = members["rehearses"], rehearses, mode != .warm {
      throw node.error("asks many dry runs of one process, so \"mode\" must be warm")
    }
    isUpkeep = try members["upkeep"]?.boolean() ?? isUpkeep
    sample = try members["sample"]?.string()
    executable = try members["executable"]?.string()
  }

  static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }
  }
}

extension Trigger {
  var isTable: Bool { if case .table = self { true } else { false } }

  package init(_ node: ManifestNode) throws(ManifestError) {
    let names = try node.members().map(\.name)
    if names.contains("schedule") {
      self = .schedule(try ScheduleTrigger(node))
    } else if names.contains("notify") {
      self = .notify(try NotifyTrigger(node))
    } else if names.contains("table") {
      self = .table(try TableTrigger(node))
    } else if names.contains("http") {
      self = .http(try HTTPTrigger(node))
    } else {
      throw node.error("needs one of \"table\", \"schedule\", \"notify\" or \"http\"")
    }
  }
}

extension TableTrigger {
  package init(_ node: ManifestNode) throws(ManifestError) {
    let members = try node.members(allowed: ["table", "events", "columns", "where", "ownWrites"])
    guard let table = members["table"] else { throw node.error("has no \"table\"") }
    let name = try table.tableName()
    (schema, self.table) = (name.schema, name.table)
    guard let events = members["events"] else { throw node.error("has no \"events\"") }
    operations = []
    for event in try events.elements() { operations.append(try event.choice(Operation.self)) }
    if operations.isEmpty { throw events.error("must name at least one of INSERT, UPDATE, DELETE") }
    columns = try members["columns"]?.strings() ?? []
    if let node = members["columns"], !operations.contains(.update) {
      throw node.error("limits updates, but \"events\" has no UPDATE")
    }
    for (column, node) in try members["where"]?.members() ?? [] { filter[column] = try node.string() }
    ownWrites = try members["ownWrites"]?.boolean() ?? ownWrites
  }
}

extension ScheduleTrigger {
  package init(_ node: ManifestNode) throws(ManifestError) {
    let members = try node.members(allowed: ["schedule", "timezone", "catchup", "overlap"])
    guard let schedule = members["schedule"] else { throw node.error("has no \"schedule\"") }
    do { expression = try CronExpression(schedule.string()) } catch let error as InvalidCronExpression {
      throw schedule.error("is not a cron expression: \(error)")
    } catch {
      throw schedule.error("must be a string that is not empty")
    }
    if let zone = members["timezone"] {
      timezone = try zone.string()
      do { _ = try TimeZoneRules(identifier: timezone) } catch { throw zone.error("\(error)") }
    }
    catchUp = try members["catchup"]?.choice(CatchUp.Policy.self) ?? .one
    overlap = try members["overlap"]?.choice(Overlap.self) ?? .queue
  }
}

extension NotifyTrigger {
  package init(_ node: ManifestNode) throws(ManifestError) {
    guard let table = try node.members(allowed: ["notify"])["notify"] else { throw node.error("has no \"notify\"") }
    let name = try table.tableName()
    (schema, self.table) = (name.schema, name.table)
  }
}

extension HTTPTrigger {
  package init(_ node: ManifestNode) throws(ManifestError) {
    let members = try node.members(allowed: ["http", "secret", "routes", "callsPerMinute", "largestBody", "pages"])
    auth = try members["http"]?.choice(Auth.self) ?? .key
    secret = try members["secret"]?.string()
    guard (auth == .signature) == (secret != nil) else {
      throw node.error("takes \"secret\" with \"http\": \"signature\", and only then")
    }
    callsPerMinute = try members["callsPerMinute"]?.integer(1...1_000_000, unit: "calls")
    largestBody = try members["largestBody"]?.integer(1...HTTPTrigger.mostBytes, unit: "bytes")
    pages = try members["pages"]?.choice(Pages.self) ?? .still
    for route in try members["routes"]?.elements() ?? [] {
      guard let pattern = RoutePattern(try route.string()) else {
        throw route.error("must be a method and a path, such as \"GET /api/v1/things/{id}\"")
      }
      routes.append(pattern)
    }
    let isPlain = routes.isEmpty && callsPerMinute == nil && largestBody == nil && members["pages"] == nil
    guard auth == .function || isPlain else {
      throw node.error(
        "takes \"routes\", \"callsPerMinute\", \"largestBody\" and \"pages\" with \"http\": \"function\" only")
    }
  }
}

extension CommandEntry {
  package init(name: String, _ node: ManifestNode) throws(ManifestError) {
    let words = name.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 1 || words.count == 2 && Self.takesSubjects(words[0]), words.allSatisfy(FunctionEntry.isName)
    else { throw node.error("is not a command's name: one word, or \"doctor\" and what it looks at") }
    let members = try node.members(allowed: ["executable", "arguments", "summary", "mode"])
    guard let executable = members["executable"] else { throw node.error("has no \"executable\"") }
    self.init(
      name: name, executable: try executable.string(), arguments: try members["arguments"]?.strings() ?? [],
      summary: try members["summary"]?.string() ?? "",
      isWarm: try members["mode"]?.choice(Mode.self) == .warm)
  }

  private enum Mode: String, CaseIterable {
    case warm, oneshot
  }
}

extension ManifestNode {
  /// A request is for one function.
  fileprivate func checkRoutes(of function: FunctionEntry, besides others: [FunctionEntry]) throws(ManifestError) {
    for (index, route) in function.http.routes.enumerated() {
      let taken = others.map { ($0.name, $0.http.routes) } + [(function.name, Array(function.http.routes[..<index]))]
      for (name, routes) in taken {
        guard let other = routes.first(where: route.overlaps) else { continue }
        throw error("has the route \(route), which is also \(other) of \(name)")
      }
    }
  }

  /// A trigger can come from `kinds`, too.
  fileprivate func checkKey(of function: FunctionEntry?) throws(ManifestError) {
    guard let key = try members().first(where: { $0.name == "key" }), let function,
      !function.triggers.contains(where: \.isTable)
    else { return }
    throw key.node.error("orders row events, but there is no trigger with a table")
  }

  /// `votes` or `app.votes`.
  func tableName() throws(ManifestError) -> TableName {
    guard let name = TableName(try string()) else {
      throw error(
        #"must be a table's name, with or without its schema; one with a dot is quoted as in SQL: "my.app"."my.votes""#)
    }
    return name
  }
}
