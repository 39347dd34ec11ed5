package import FoundationEssentials

/// Assigns people to the variants of an experiment.
package enum VariantAssignment {
  /// A number from 0 up to `count`, always the same for one person.
  ///
  /// The numbers are evenly distributed and independent of other experiments.
  /// - Parameter count: how many variants there are; below 2 everybody gets 0.
  package static func variant(of count: Int, experiment: String, user: UUID) -> Int {
    Int(StableHash(user, in: experiment).number(below: UInt64(max(count, 1))))
  }
}
