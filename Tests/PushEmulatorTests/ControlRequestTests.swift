import Testing

@testable import PushEmulator

struct ControlRequestTests {
  @Test func readsAQuery() throws {
    let request = try ControlRequest(
      method: "GET", path: "/pushes?since=3&token=AB&kind=new%5Fvote&wait=5&last=&limit=9", body: [])

    var query = PushQuery()
    (query.since, query.tokens, query.kind, query.wait, query.limit) = (3, [Glob("AB")], "new_vote", .seconds(5), 9)
    #expect(request == .pushes(query))
  }

  @Test func aQueryNamesSeveralDevices() throws {
    let request = try ControlRequest(method: "GET", path: "/devices?token=AB&token=c*&last=20&notes=3", body: [])

    var query = PushQuery()
    (query.tokens, query.last, query.notes) = ([Glob("AB"), Glob("c*")], 20, 3)
    #expect(request == .devices(query))
    #expect(query.matches(Samples.record(1, token: "cd")) && !query.matches(Samples.record(1, token: "abc")))
  }

  @Test(arguments: [
    "since=-1", "notes=0", "since=x", "wait=61", "limit=0", "count=0", "taken=1", "provider=x", "color=red", "since",
    "kind=%4",
    "kind=%+5", "kind=%zz",
  ])
  func refusesAQuery(text: String) {
    #expect(status(of: "GET", "/pushes?\(text)") == 400)
  }

  @Test(arguments: [
    ("GET", "/", 404), ("GET", "/nothing", 404), ("GET", "/pushes/x", 404), ("GET", "/pushes/1/2", 404),
    ("POST", "/pushes", 405),
    ("DELETE", "/devices", 405), ("POST", "/devices/x!z", 400), ("PUT", "/faults", 405), ("DELETE", "/faults/x", 404),
    ("GET", "/accounts", 405), ("POST", "/clock", 405), ("POST", "/keys/x", 405),
    ("POST", "/connections", 400), ("GET", "/clock/x", 404),
  ])
  func refusesARoute(method: String, path: String, expected: Int) {
    #expect(status(of: method, path) == expected)
  }

  @Test(
    arguments: [
      ("127.0.0.1:8000", nil, nil, nil), ("LOCALHOST:8000", nil, nil, nil), ("[::1]:8000", nil, nil, nil),
      ("emulator:8000", nil, nil, nil), ("localhost:8000", "https://localhost:8000", "same-origin", nil),
      ("evil.example:8000", nil, nil, 421), ("", nil, nil, 421), ("localhost.evil.example", nil, nil, 421),
      ("localhost:8000", "https://evil.example", nil, 403), ("localhost:8000", "null", nil, 403),
      ("localhost:8000", nil, "cross-site", 403),
    ] as [(String, String?, String?, Int?)])
  func onlyProgramsOfThisMachineHaveAccess(authority: String, origin: String?, fetchSite: String?, expected: Int?) {
    let access = ControlAccess(host: "emulator")

    let status = refusal { () throws(BadRequest) in
      try access.check(authority: authority, origin: origin, fetchSite: fetchSite)
    }

    #expect(status == expected)
  }

  private func status(of method: String, _ path: String) -> Int? {
    refusal { () throws(BadRequest) in _ = try ControlRequest(method: method, path: path, body: []) }
  }

  private func refusal(_ body: () throws(BadRequest) -> Void) -> Int? {
    do throws(BadRequest) {
      try body()
      return nil
    } catch {
      return error.status
    }
  }
}
