import FunctionKit

/// The active faults in the order of their creation.
///
/// The first that hits a push decides.
struct FaultScript: Sendable {
  private(set) var faults: [Fault] = []
  private var lastID = 0

  /// The most active faults.
  static let capacity = 100

  init(_ faults: [Fault] = []) {
    self.faults = faults
    lastID = faults.map(\.id).max() ?? 0
  }

  /// Adds a fault; returns its number.
  mutating func add(_ rule: Fault.Rule) throws(BadRequest) -> Int {
    guard faults.count < Self.capacity else { throw BadRequest("There are \(Self.capacity) faults already.") }
    lastID += 1
    faults.append(Fault(id: lastID, rule: rule))
    return lastID
  }

  /// Removes one fault, or all.
  ///
  /// When none is left, numbers begin at 1 again.
  mutating func remove(_ id: Int?) throws(BadRequest) {
    guard let id else {
      self = FaultScript()
      return
    }
    guard let place = faults.firstIndex(where: { $0.id == id }) else {
      throw BadRequest(status: 404, "There is no fault \(id).")
    }
    faults.remove(at: place)
  }

  /// The effect on a push, and its fault.
  mutating func effect(on push: Fault.Target) -> (effect: Effect, fault: Int)? {
    for place in faults.indices {
      if let effect = faults[place].effect(on: push) { return (effect, faults[place].id) }
    }
    return nil
  }
}
