package import Manifest
package import Postgres

/// The differences between the triggers of a database and those that a bundle's `functions.json` asks for.
///
/// Triggers of other bundles are not looked at. A trigger goes on making events for functions that
/// `functions.json` does not ask for, as another version of the bundle may, until they are pruned.
package struct TriggerPlan {
  enum Step {
    case make(WantedTrigger)
    case renew(PresentTrigger, as: WantedTrigger)
    /// It is as it should be; what is remembered of it is not.
    case remember(WantedTrigger)
    case remove(PresentTrigger)
  }

  private(set) var steps: [Step] = []
  /// Sentences about everything that has to be done before events are made as `functions.json` says.
  package private(set) var needs: [String] = []
  /// Sentences about everything that stays as it is although `functions.json` says otherwise.
  package private(set) var notes: [String] = []
  /// Sentences about what a changed schema no longer has, by the functions that had triggers on it.
  ///
  /// The triggers stay as they are, so no event is lost if the change is taken back.
  package private(set) var misfits: [String: String] = [:]
  private let manifest: Manifest
  private let prunes: Bool
  private let holds: Bool
  private var own: [PresentTrigger]
  private let memories: [PresentTrigger.Memory]
  /// How many triggers the bundle has, as it should be.
  package private(set) var count = 0

  /// Whether there is nothing to do.
  package var isEmpty: Bool { steps.isEmpty }

  /// Looks, and changes nothing.
  ///
  /// - Parameters:
  ///   - prunes: whether what is not asked for goes.
  ///   - holds: whether what has fitted once becomes one of ``misfits``, and is no error.
  /// - Throws: `MigrationError` where `functions.json` does not fit the database.
  package init(_ manifest: Manifest, on database: some SQLExecutor, prunes: Bool, holds: Bool = false) async throws {
    let store = TriggerStore(database: database)
    if let (function, bundle) = try await store.taken(manifest.functions.map(\.name), besides: manifest.bundle) {
      throw MigrationError(
        "The function \(function) is one of the bundle \(bundle) in this database, too: events go by a function's name."
      )
    }
    (self.manifest, self.prunes, self.holds) = (manifest, prunes, holds)
    memories = try await store.memories().filter { $0.bundle == manifest.bundle }
    own = try await store.present(store.memories()).filter { trigger in
      trigger.memory.map { $0.bundle == manifest.bundle } ?? CaptureSQL.isName(trigger.name, of: manifest.bundle)
    }
    try await addCaptures(database)
    try await addNotifications(database)
    for trigger in own { addUnasked(trigger) }
  }

  private mutating func addCaptures(_ database: some SQLExecutor) async throws {
    for (table, asked) in manifest.subscriptions.sorted(by: { $0.key < $1.key }) {
      let functions = Set(asked.values.joined().map(\.function)).sorted().joined(separator: ", ")
      let shape: TableShape
      do { shape = try await TableShape(of: table, for: functions, database) } catch let error as MigrationError {
        try hold(Array(asked.values.joined()), of: table, because: error)
        continue
      }
      var (wanted, present): ([TableTrigger.Operation: [Subscription]], [String: PresentTrigger]) = (asked, [:])
      var kept: [TableTrigger.Operation: [Subscription]] = [:]
      for (operation, subscriptions) in asked {
        let (name, functions) = (CaptureSQL.name(operation, of: manifest.bundle), subscriptions.map(\.function))
        present[name] = take(table, name)
        if let trigger = present[name], try isLater(trigger, for: functions) {
          wanted[operation] = nil
        } else if try leaves(subscriptions, of: table, by: present[name], shape) {
          wanted[operation] = present[name] == nil ? subscriptions.filter { misfits[$0.function] == nil } : nil
          if wanted[operation]?.isEmpty != false { wanted[operation] = nil }
        } else if let memory = present[name]?.memory ?? memories.first(where: { $0.table == table && $0.name == name })
        {
          kept[operation] = try keeps(memory, besides: functions)
        }
      }
      let captured = try shape.captured(wanted, kept: kept)
      noteLost(kept, captured)
      for definition in CaptureSQL(captured: captured, bundle: manifest.bundle).triggers {
        let subscriptions = captured.subscriptions[definition.operation] ?? []
        let trigger = WantedTrigger(
          table: table, name: definition.name, functions: subscriptions.map(\.function), subscriptions: subscriptions,
          sql: definition.sql)
        add(trigger, asked: asked[definition.operation] ?? [], over: present[definition.name])
      }
    }
  }

  /// Whether columns are gone that functions ask for: the trigger stays as it is.
  ///
  /// - Throws: `MigrationError` where that trigger does not do what the others ask for.
  private mutating func leaves(
    _ subscriptions: [Subscription], of table: TableName, by trigger: PresentTrigger?, _ shape: TableShape
  ) throws -> Bool {
    let gone = try subscriptions.compactMap { subscription in
      try shape.problem(of: subscription).map { (subscription, $0) }
    }
    guard let first = gone.first?.1 else { return false }
    for (subscription, error) in gone { try hold([subscription], of: table, because: error) }
    guard let trigger else { return true }
    guard subscriptions.allSatisfy({ trigger.memory?.subscriptions?.contains($0) == true }) else { throw first }
    count += 1
    return true
  }

  /// - Throws: the error where it is not one of a schema that has changed, but of `functions.json`.
  private mutating func hold(
    _ subscriptions: [Subscription], of table: TableName, because error: MigrationError
  ) throws {
    let haveFitted = subscriptions.allSatisfy { subscription in
      memories.contains { $0.table == table && $0.subscriptions?.contains(subscription) == true }
    }
    guard holds, haveFitted else { throw error }
    for subscription in subscriptions { misfits[subscription.function] = error.description }
  }

  private mutating func noteLost(_ kept: [TableTrigger.Operation: [Subscription]], _ captured: CapturedTable) {
    let lost = Set(
      kept.flatMap { operation, subscriptions in
        subscriptions.filter { captured.subscriptions[operation]?.contains($0) != true }.map(\.function)
      })
    for function in lost.sorted() {
      notes.append("\(captured.name) lacks columns that \(function) asked for: it makes no events for it any more.")
    }
  }

  private mutating func addNotifications(_ database: some SQLExecutor) async throws {
    for function in manifest.functions {
      for case .notify(let notify) in function.triggers {
        let table = notify.name
        let name = CaptureSQL.notifyName(function.name, of: manifest.bundle)
        do { _ = try await TableShape(of: table, for: function.name, database) } catch let error as MigrationError {
          guard holds, memories.contains(where: { $0.table == table && $0.name == name }) else { throw error }
          misfits[function.name] = error.description
          continue
        }
        let sql = """
          CREATE OR REPLACE TRIGGER \(quoted(name)) AFTER INSERT ON \(table.sql)
          FOR EACH STATEMENT EXECUTE FUNCTION runner.\(PresentTrigger.notifyProcedure)(\(literal(function.name)));
          """
        let present = take(table, name)
        if let present, try isLater(present, for: [function.name]) { continue }
        add(WantedTrigger(table: table, name: name, functions: [function.name], sql: sql), asked: [], over: present)
      }
    }
  }

  /// The trigger of that name in its place, which then is no other's.
  private mutating func take(_ table: TableName, _ name: String) -> PresentTrigger? {
    own.firstIndex { $0.table == table && $0.name == name }.map { own.remove(at: $0) }
  }

  /// Whether a later version of the runner or of the bundle made a trigger.
  private mutating func isLater(_ trigger: PresentTrigger, for functions: [String] = []) throws -> Bool {
    guard let memory = trigger.memory else { return false }
    let isNewer = memory.generation > CaptureSQL.generation
    guard isNewer || memory.version > manifest.version else { return false }
    let maker = isNewer ? "a later version of the runner" : "version \(memory.version) of the bundle"
    let lacking = functions.filter { !memory.functions.contains($0) }
    guard lacking.isEmpty else {
      throw MigrationError(
        "The \(trigger.place) is of \(maker) and makes no events for \(lacking.joined(separator: ", ")): migrate with that version."
      )
    }
    count += 1
    notes.append("The \(trigger.place) is of \(maker) and stays as it is.")
    return true
  }

  /// The work of a trigger for functions that are not asked for.
  private mutating func keeps(_ memory: PresentTrigger.Memory, besides asked: [String]) throws -> [Subscription] {
    let others = memory.functions.filter { !asked.contains($0) }
    guard !prunes, !others.isEmpty else { return [] }
    let (place, names) = ("trigger \(memory.name) on \(memory.table)", others.joined(separator: ", "))
    guard let subscriptions = memory.subscriptions else {
      throw MigrationError(
        """
        The \(place) is of an earlier version and makes events for \(names), too, which functions.json does not ask for: \
        migrate with a functions.json that does, or with --prune.
        """)
    }
    notes.append(
      "The \(place) makes events for \(names), too, which functions.json does not ask for: runner migrate --prune ends that."
    )
    return subscriptions.filter { others.contains($0.function) }
  }

  private mutating func add(_ trigger: WantedTrigger, asked: [Subscription], over present: PresentTrigger?) {
    count += 1
    guard let present, let memory = present.memory else {
      steps.append(present.map { .renew($0, as: trigger) } ?? .make(trigger))
      needs.append("The trigger \(trigger.name) on \(trigger.table) is \(present == nil ? "missing" : "unknown").")
      return
    }
    if present.isInPlace, memory.definition == trigger.sql, memory.functions == trigger.functions {
      if memory.version < manifest.version || memory.generation < CaptureSQL.generation {
        steps.append(.remember(trigger))
      }
      return
    }
    steps.append(.renew(present, as: trigger))
    // A table that has changed since is captured all the same.
    let isSame = asked.allSatisfy { memory.subscriptions?.contains($0) == true }
    if !isSame || !present.isInPlace || memory.generation < CaptureSQL.generation {
      needs.append("The \(present.place) is \(present.isEnabled ? "not as functions.json says" : "disabled").")
    }
  }

  private mutating func addUnasked(_ trigger: PresentTrigger) {
    if trigger.memory?.functions.contains(where: { misfits[$0] != nil }) == true { return }
    let isSuperseded = !trigger.isInPlace && steps.contains { $0.makes(trigger.memory) }
    if isSuperseded { return remove(trigger) }
    if (try? isLater(trigger)) == true { return }
    guard !prunes else { return remove(trigger) }
    let functions = trigger.memory?.functions.joined(separator: ", ") ?? ""
    notes.append(
      """
      functions.json does not ask for the \(trigger.place)\(functions.isEmpty ? "" : ", which is for \(functions)"): \
      runner migrate --prune removes it.
      """)
  }
}

extension TriggerPlan {
  private mutating func remove(_ trigger: PresentTrigger) {
    guard trigger.removal == nil, let owner = trigger.stranger else { return steps.append(.remove(trigger)) }
    notes.append(
      """
      The \(trigger.place), which functions.json does not ask for, stays: only \(owner), who owns the table, may \
      DROP TRIGGER \(quoted(trigger.name)) ON \(trigger.table.sql).
      """)
  }
}

extension TriggerPlan.Step {
  /// Whether it makes a trigger again that was remembered of a table which has another name by now.
  fileprivate func makes(_ memory: PresentTrigger.Memory?) -> Bool {
    switch self {
    case .make(let trigger), .renew(_, let trigger): trigger.table == memory?.table && trigger.name == memory?.name
    case .remember, .remove: false
    }
  }
}
