import FunctionKit
import Postgres
import StoreLive
import TestSupport
import Testing

/// The limits of a function's own connection.
@Suite(.heavy)
struct FunctionConnectionTests {
  /// The server's limits as a function's session has them.
  private func limits(_ variables: [String: String], statementTimeout: Duration = .seconds(8)) async throws -> [String]
  {
    let environment = Environment(
      variables.merging(["DATABASE_URL": try await TemporaryPostgres.database()]) { given, _ in given })
    let connection = try Connection(environment, name: "f", statementTimeout: statementTimeout)
    let row = try await connection.query(
      """
      SELECT current_setting('statement_timeout') AS statement,
        current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('application_name') AS name
      """
    ).only()
    return [row["statement"] ?? "", row["idle"] ?? "", row["name"] ?? ""]
  }

  @Test(arguments: [(nil, "8s"), ("30", "8s"), ("5", "2s"), ("1", "500ms"), ("nonsense", "8s")])
  func aSilentServerIsNoticedBeforeTheTimeOfTheFunctionIsOver(_ timeout: String?, _ limit: String) async throws {
    let variables = timeout.map { ["PUSH_FUNCTION_TIMEOUT": $0] } ?? [:]

    #expect(try await limits(variables) == [limit, "10s", "f"])
  }

  @Test func longStatementsHaveToBeAskedFor() async throws {
    #expect(try await limits([:], statementTimeout: .seconds(30)).first == "30s")
    #expect(try await limits(["PUSH_FUNCTION_TIMEOUT": "300"], statementTimeout: .seconds(30)).first == "30s")
  }

  @Test(arguments: [(false, "0"), (true, "400ms")])
  func workInTheBackgroundGivesWayBeforeTheServerLooksForDeadlocks(givesWay: Bool, limit: String) async throws {
    let environment = Environment(["DATABASE_URL": try await TemporaryPostgres.database()])
    let connection = try Connection(environment, name: "f", givesWay: givesWay)

    #expect(try await connection.query("SELECT current_setting('lock_timeout') AS limit").only()["limit"] == limit)
  }

  @Test func withoutAnAddressTheConfigurationIsWrong() {
    let error = #expect(throws: FunctionError.self) {
      _ = try Connection(Environment([:], workingDirectory: "/"), name: "f")
    }

    #expect(error?.code == .misconfigured)
  }
}
