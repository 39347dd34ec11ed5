import FunctionKit

extension Manifest {
  /// The variable that tells functions and commands what becomes of notifications that stay unread.
  package static let unreadVariable = "PUSH_UNREAD_RULES"
  /// The variables that `functions.json` itself gives to functions, and nobody sets.
  package static let givenVariables = [languagesVariable, unreadVariable]
  /// The table whose rows are what stayed unread, each for the function that its column `function` names.
  fileprivate static let unreadTable = "unread_notifications"

  /// Reads `kinds`: what an app's kinds of notifications say of themselves.
  ///
  /// A function that is named gets a trigger for what stays unread. Functions that ask for the rules get all of them as
  /// JSON.
  mutating func setKinds(_ node: ManifestNode, of apps: [App]) throws(ManifestError) {
    var rules: [RawJSON] = []
    for (app, kinds) in try node.members() {
      guard apps.contains(where: { $0.name == app }) else {
        throw kinds.error("must be one of \"apps\": \(apps.map(\.name).sorted().joined(separator: ", "))")
      }
      for (kind, node) in try kinds.members() {
        guard let rule = try node.members(allowed: ["ifUnread"])["ifUnread"] else { continue }
        let members = try rule.members(allowed: ["after", "function"])
        guard let after = members["after"] else { throw rule.error("has no \"after\"") }
        guard let function = members["function"] else { throw rule.error("has no \"function\"") }
        let name = try takeUnread(function)
        rules.append(
          RawJSON(object: [
            ("app", RawJSON(app)), ("kind", RawJSON(kind)), ("after", RawJSON(try after.seconds())),
            ("function", RawJSON(name)),
          ]))
      }
    }
    guard !rules.isEmpty else { return }
    let askers = functions.indices.filter { functions[$0].environment.contains(Self.unreadVariable) }
    guard !askers.isEmpty else { throw node.error("needs a function that asks for \(Self.unreadVariable)") }
    unreadRules = String(decoding: RawJSON(array: rules).bytes, as: UTF8.self)
    for index in askers { functions[index].settings[Self.unreadVariable] = unreadRules }
  }

  /// Lets a function get what stays unread and names it; returns its name.
  private mutating func takeUnread(_ node: ManifestNode) throws(ManifestError) -> String {
    let name = try node.string()
    guard let index = functions.firstIndex(where: { $0.name == name }) else {
      throw node.error("names \(name), which \"functions\" does not have")
    }
    let trigger = Trigger.table(
      TableTrigger(table: Self.unreadTable, operations: [.insert], filter: ["function": name]))
    let looksItself = functions[index].environment.contains(Self.unreadVariable)
    guard !looksItself, !functions[index].triggers.contains(where: \.isNotify) else {
      throw node.error("names \(name), which looks for work itself and gets no events")
    }
    guard !functions[index].triggers.contains(where: { $0 != trigger && $0.isUnread }) else {
      throw node.error("names \(name), which has a trigger of its own for \(Self.unreadTable)")
    }
    if !functions[index].triggers.contains(trigger) { functions[index].triggers.append(trigger) }
    return name
  }
}

extension Trigger {
  /// Whether it is about what stays unread.
  fileprivate var isUnread: Bool {
    if case .table(let trigger) = self { trigger.table == Manifest.unreadTable } else { false }
  }
}

extension ManifestNode {
  private static let units: [Character: Int] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
  private static let longest = 30 * 86_400

  /// A time such as `30m` as a number of seconds.
  fileprivate func seconds() throws(ManifestError) -> Int {
    let text = try string()
    guard let unit = text.last.flatMap({ Self.units[$0] }), let number = Int(text.dropLast()), text.first != "+",
      (1...Self.longest / unit).contains(number)
    else { throw error("must be a time such as 90s, 30m, 2h or 1d, and 30d at most") }
    return number * unit
  }
}
