/// The result of a round.
struct RoundResult: Encodable {
  let round: Int
  let seed: UInt64
  let writers: Int
  let counts: Recount.Counts
  /// How often each kind of fault was brought about.
  let faults: [String: Int]
  /// The failures of writers, by SQLSTATE; during faults they are to be expected.
  let failures: [String: Int]
  let figures: [Figure: Int]
  /// Each wrong in words, by its figure.
  let wrongs: [Figure: [String]]
  /// Why it could not be played to its end.
  let failure: String?

  /// The result of a round that could not be played to its end.
  init(_ plan: Plan, failure: any Error) {
    (round, seed, writers, counts) = (plan.number, plan.seed, plan.connections, Recount.Counts())
    (faults, failures, figures, wrongs) = ([:], [:], [:], [:])
    self.failure = "\(failure)"
  }

  init(
    _ plan: Plan, _ recount: Recount, _ outages: [Outage], left: [String], ended: [String], failures: [String: Int],
    overtaken: Int?, disordered: Int?
  ) {
    (round, seed, writers, counts) = (plan.number, plan.seed, plan.connections, recount.counts)
    faults = outages.reduce(into: [:]) { $0[$1.kind.rawValue, default: 0] += 1 }
    self.failures = failures
    var wrongs = recount.wrongs
    wrongs[.left] = left
    wrongs[.ended] = ended
    var figures = Dictionary(uniqueKeysWithValues: Figure.allCases.map { ($0, wrongs[$0]?.count ?? 0) })
    figures[.refused] = failures["0A000"] ?? 0
    figures[.overtaken] = overtaken
    figures[.disordered] = disordered
    (self.figures, self.wrongs, failure) = (figures, wrongs.filter { !$0.value.isEmpty }, nil)
  }

  var isRight: Bool { failure == nil && figures.values.allSatisfy { $0 == 0 } }
}
