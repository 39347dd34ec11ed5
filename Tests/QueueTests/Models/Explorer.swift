/// A step by its name.
struct StepName: CustomStringConvertible {
  /// The number of the writer or runner that takes it; `nil` for the only runner.
  var actor: Int?
  var text: StaticString

  init(_ text: StaticString) { self.text = text }

  init(_ actor: Int, _ text: StaticString) { (self.actor, self.text) = (actor, text) }

  /// Actors are called A, B and so on.
  var description: String { "\(actor.map { String(UnicodeScalar(UInt8(65 + $0))) } ?? "The runner") \(text)" }
}

/// A system of few parts whose steps may follow each other in any order.
protocol SmallModel {
  associatedtype Key: Hashable
  /// States with the same key behave alike from there on.
  var key: Key { get }
  /// Every step that can be taken now, with the state after it.
  var steps: [(name: StepName, next: Self)] { get }
  /// The rule that a state breaks, as a sentence.
  var violation: String? { get }
}

/// The result of looking at every state that a model can get into.
struct Exploration {
  /// How many states there are, up to the first bad one.
  var states = 0
  /// The shortest way to a bad state, and the rule that it breaks.
  var counterexample: (steps: [String], violation: String)?

  var isClean: Bool { counterexample == nil }

  /// The text for people.
  var story: String {
    counterexample.map { ($0.steps + ["Then: \($0.violation)"]).joined(separator: "\n") } ?? "\(states) states"
  }

  /// Takes every step of every state, breadth first.
  init(of start: some SmallModel) {
    self.init(start)
  }

  private init<Model: SmallModel>(_ start: Model) {
    var known: Set<Model.Key> = [start.key]
    var origins: [(parent: Int, name: StepName)] = [(-1, StepName("starts"))]
    var frontier = [(start, 0)]
    while !frontier.isEmpty {
      var next: [(Model, Int)] = []
      for (state, index) in frontier {
        if let violation = state.violation {
          (states, counterexample) = (known.count, (Self.path(to: index, origins), violation))
          return
        }
        for step in state.steps where known.insert(step.next.key).inserted {
          origins.append((index, step.name))
          next.append((step.next, origins.count - 1))
        }
      }
      frontier = next
    }
    states = known.count
  }

  private static func path(to index: Int, _ origins: [(parent: Int, name: StepName)]) -> [String] {
    var (names, index) = ([String](), index)
    while origins[index].parent >= 0 {
      names.append(origins[index].name.description)
      index = origins[index].parent
    }
    return names.reversed()
  }
}
