import Testing

@testable import DeliveryLive
@testable import Postgres

/// The statement of an error about the rows that were to be changed.
struct ReleaseFailureTests {
  @Test(arguments: [
    ("55P03", true, true), ("40P01", true, true), ("57014", true, true), ("22P02", true, false), ("23502", true, false),
    ("42P01", false, false),
  ])
  func aLockOrALackOfTimeIsNoFaultOfARow(state: String, isOfRows: Bool, isOfMoment: Bool) {
    var error = PostgresError(state == "57014" ? .timedOut : .sqlState(state), "words")
    error.sqlState = state

    #expect(error.isOfRows == isOfRows && error.isOfMoment == isOfMoment)
  }
}
