import FoundationEssentials
import FunctionKit
import TestSupport
import Testing

/// Requests made from the OpenAPI document, right ones and wrong ones, at the real functions on a real database.
///
/// `FUZZ_SEED` repeats a run, `FUZZ_CASES` says how many requests each operation gets.
@Suite(.heavy, .qualifiesReleases)
struct APIFuzzTests {
  private static let environment = Environment.current()
  private static let seed = environment["FUZZ_SEED"].flatMap(UInt64.init) ?? 1
  private static let cases = environment["FUZZ_CASES"].flatMap(Int.init) ?? 60

  @Test func noRequestBreaksAnythingOrShowsWhatIsSomebodyElses() async throws {
    print("FUZZ_SEED=\(Self.seed) FUZZ_CASES=\(Self.cases)")
    let fuzz = try await FuzzScene()
    let description = try APIDescription.served.get()
    let manifest = try RawJSON(validating: Array(Repository.text("functions.json").utf8)[...])
    for function in manifest["functions"]?.members ?? [] {
      let routes = (function.value["triggers"]?.elements ?? []).flatMap { $0["routes"]?.elements ?? [] }
      let operations = description.operations.filter { routes.contains(RawJSON($0.route)) }
      for operation in operations { try await send(operation, of: function.name, description, fuzz) }
    }
  }

  @Test func everyFunctionWithRoutesIsFuzzed() async throws {
    let functions = try await HTTPFunctions(Environment(["DATABASE_URL": "postgresql://127.0.0.1:1/nowhere"]))
    let manifest = try RawJSON(validating: Array(Repository.text("functions.json").utf8)[...])
    let routed = (manifest["functions"]?.members ?? []).filter { function in
      function.value["triggers"]?.elements?.contains { $0["routes"] != nil } == true
    }

    #expect(Set(routed.map(\.name)) == functions.names)
  }

  private func send(
    _ operation: APIDescription.Operation, of function: String, _ description: APIDescription, _ fuzz: FuzzScene
  ) async throws {
    let methods = Set(description.operations.filter { $0.path == operation.path }.map(\.method))
    let seed = operation.route.utf8.reduce(Self.seed) { $0 &* 31 &+ UInt64($1) }
    let samples = SampleValues(random: SplitMix(seed: seed), ids: fuzz.ids)
    var cases = FuzzCases(operation: operation, samples: samples, methods: methods)
    var requests = cases.wrong().shuffled(using: &cases.samples.random).prefix(Self.cases * 4 / 5)
    while requests.count < Self.cases { requests.append(cases.admitted()) }
    var before = try await fuzz.state()
    for request in requests {
      let answer = try await fuzz.functions.answer(request.request, by: function)
      let after = try await fuzz.state()
      expect(answer, to: request, of: operation, fuzz)
      #expect(after.bens == before.bens, "Ben's rows: \(request)")
      if answer.statusCode >= 400 {
        #expect(after.all == before.all, "answered \(answer.statusCode), but something changed: \(request)")
      }
      before = after
    }
  }

  private func expect(
    _ answer: HTTPResponse, to request: FuzzCase, of operation: APIDescription.Operation, _ fuzz: FuzzScene
  ) {
    let shown = ((answer.body ?? "") + (answer.headers.map { "\($0)" } ?? "")).lowercased()
    let status = answer.statusCode
    #expect(status < 500, "\(status) \(shown): \(request)")
    // What a body has said itself may come back.
    let said = (request.request.body ?? "").lowercased()
    for secret in fuzz.secrets where !said.contains(secret) {
      #expect(!shown.contains(secret), "\(secret) is shown: \(request)")
    }
    let document = (try? RawJSON(validating: Array((answer.body ?? "").utf8)[...])) ?? .null
    if status != 405, request.method == operation.method, !request.path.contains("..") {
      #expect(operation.problems(of: status, answer.body) == [], "\(request)")
    } else if status >= 400 {
      #expect(document["error"] == RawJSON(true), "\(request)")
    }
    switch request.expected {
    case .described: break
    case .taken: #expect(status != 400, "\(shown): \(request)")
    case .status(let expected): #expect(expected.contains(status), "\(status) \(shown): \(request)")
    case .naming(let field):
      // A field may matter less than how it goes with the others.
      let reason = document["reason"]?.stringValue ?? ""
      let names = [field] + operation.names
      #expect([400, 404].contains(status), "\(status) \(shown): \(request)")
      #expect(status != 400 || names.contains { reason.contains($0) }, "\(reason): \(request)")
    }
  }
}

extension APIDescription.Operation {
  /// What may be given to it.
  fileprivate var names: [String] {
    parameters.compactMap { $0["name"]?.stringValue } + (request?.fields() ?? []).compactMap(\.path.last)
  }
}
