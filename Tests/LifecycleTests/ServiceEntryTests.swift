import FunctionKit
import Testing

@testable import Lifecycle
@testable import Manifest

struct ServiceEntryTests {
  private static let sends = #"{"sends":{"environment":["KEY?"]}}"#

  private func manifest(_ service: String, functions: String = sends) throws -> Manifest {
    let text = #"{"functions":\#(functions),"services":{"stand-in":\#(service)}}"#
    return try Manifest(text: Array(text.utf8), file: "functions.json", directory: "/project")
  }

  private func isStarted(_ service: String, isLocal: Bool, _ environment: [String: String] = [:]) throws -> Bool? {
    try manifest(service).services.first?.isStarted(isLocal: isLocal, Environment(environment))
  }

  @Test func aServiceIsForLocalDatabasesUnlessItSaysOtherwise() throws {
    #expect(try isStarted("{}", isLocal: true) == true)
    #expect(try isStarted("{}", isLocal: false) == false)
    #expect(try isStarted(#"{"only":"local"}"#, isLocal: false) == false)
    #expect(try isStarted(#"{"only":"any"}"#, isLocal: false) == true)
    #expect(try isStarted(#"{"only":"any","unless":["KEY"]}"#, isLocal: false, ["KEY": "here"]) == false)
    #expect(throws: ManifestError.self) { try manifest(#"{"only":"always"}"#) }
  }

  @Test func oneIsMissingWhereNeitherItNorTheRealThingIsThereAndAFunctionAsks() throws {
    let asked = try manifest(#"{"unless":["KEY"],"without":"letters wait"}"#)
    let unasked = try manifest(#"{"unless":["KEY"]}"#, functions: #"{"sends":{}}"#)

    #expect(asked.missingServices(isLocal: false, Environment([:])).map(\.name) == ["stand-in"])
    #expect(asked.missingServices(isLocal: true, Environment([:])).isEmpty)
    #expect(asked.missingServices(isLocal: true, startsServices: false, Environment([:])).count == 1)
    #expect(asked.missingServices(isLocal: false, Environment(["KEY": "here"])).isEmpty)
    #expect(unasked.missingServices(isLocal: false, Environment([:])).isEmpty)
    #expect(asked.services.first?.absence.hasPrefix("letters wait: set KEY, or give --emulator") == true)
  }

  @Test func aVariableMayBeOptional() throws {
    let entry = try #require(try manifest("{}", functions: #"{"f":{"environment":["A","B?"]}}"#)["f"])
    let environment = FunctionEnvironment(own: Environment([:]))

    #expect(entry.environment == ["A", "B"])
    #expect(environment.missing(for: entry) == ["A"])
  }

  @Test func onlyFunctionsOfALocalDatabaseAreToldThatItIs() {
    let entry = FunctionEntry(name: "f")

    let marks = [false, true].map { isLocal in
      FunctionEnvironment(own: Environment([:]), isLocal: isLocal).variables(for: entry)["PUSH_FUNCTION_DATABASE"]
    }

    #expect(marks == [nil, "local"])
  }
}
