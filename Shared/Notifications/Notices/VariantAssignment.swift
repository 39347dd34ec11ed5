public import FoundationEssentials

/// Which variant of an experiment a person gets.
public enum VariantAssignment {
  /// A number from 0 up to `count`, always the same for one person.
  ///
  /// The numbers are evenly spread over people, and independent of other experiments.
  /// - Parameter count: how many variants there are; below 2 everybody gets 0.
  public static func variant(of count: Int, experiment: String, user: UUID) -> Int {
    Int(StableHash(user, in: experiment).number(below: UInt64(max(count, 1))))
  }
}
