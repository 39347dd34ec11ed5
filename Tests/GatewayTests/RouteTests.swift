import FunctionKit
import HTTP1
import Testing

@testable import Gateway
@testable import Manifest
@testable import System

struct RouteTests {
  private func entry(_ name: String, _ routes: [String]) -> FunctionEntry {
    FunctionEntry(
      name: name, triggers: [.http(HTTPTrigger(auth: .function, routes: routes.compactMap { RoutePattern($0) }))])
  }

  private func find(_ method: String, _ path: String, in entries: [FunctionEntry]) -> String {
    switch RouteTable(entries).find(method, path) {
    case .match(let match): "\(match.function) \(match.parameters.map { "\($0.name)=\($0.value)" })"
    case .otherMethods(let methods): methods.joined(separator: " ")
    case .nothingBeside: "nothing beside"
    case .nothing: "nothing"
    }
  }

  @Test(arguments: [
    ("GET", "/things", "a []"), ("HEAD", "/things", "a []"), ("HEAD", "/things/7", "DELETE"),
    ("HEAD", "/things/7/parts/x", #"b ["id=7", "part=x"]"#), ("DELETE", "/things/7", #"b ["id=7"]"#),
    ("POST", "/things", "GET HEAD"), ("GET", "/things/", "a []"), ("DELETE", "/things/7/", #"b ["id=7"]"#),
    ("DELETE", "/things//", "nothing beside"), ("GET", "/", "nothing"),
    ("GET", "", "nothing"),
    ("GET", "/things/7/parts/x", #"b ["id=7", "part=x"]"#), ("GET", "/things/7/other/x", "nothing beside"),
  ])
  func leadsToAFunction(_ method: String, _ path: String, _ found: String) {
    let entries = [
      entry("a", ["GET /things"]), entry("b", ["DELETE /things/{id}", "GET /things/{id}/parts/{part}"]),
    ]

    #expect(find(method, path, in: entries) == found)
  }

  @Test(arguments: [
    ("DELETE", "/things/new", "POST"), ("POST", "/things/new", "a []"), ("POST", "/things/7", "DELETE"),
    ("DELETE", "/things/7", #"b ["id=7"]"#), ("PUT", "/things/7/old", #"b ["part=old"]"#),
    ("GET", "/things/7/old", "PUT"), ("GET", "/things/8/old", #"b ["id=8", "part=old"]"#),
  ])
  func aTextCountsBeforeAPlaceForAParameter(_ method: String, _ path: String, _ found: String) {
    let entries = [
      entry("b", ["DELETE /things/{id}", "GET /things/{id}/{part}", "PUT /things/7/{part}"]),
      entry("a", ["POST /things/new"]),
    ]

    #expect(find(method, path, in: entries) == found)
  }

  @Test(arguments: ["/metrics", "/_/health", "/_/state", "/functions/v1"])
  func aPlaceForAParameterIsNoPlaceForTheGatewaysOwn(_ path: String) {
    let entries = [entry("a", ["GET /{page}", "DELETE /{a}/{b}"])]

    #expect(find("GET", "/other", in: entries) == #"a ["page=other"]"#)
    #expect(find("GET", path, in: entries) == "nothing")
  }

  @Test(arguments: [
    "GET", "/things", "FETCH /things", "GET things", "GET /things?a", "GET /{", "GET /{}", "GET /a//b", "GET /a/",
    "GET /_/health", "GET /metrics", "GET /functions/v1/a", "GET  /a", "get /a", "GET /",
  ])
  func anythingElseIsNoRoute(_ text: String) {
    #expect(RoutePattern(text) == nil)
  }

  @Test(arguments: [
    ("GET /a/{id}", "GET /a/b", true), ("GET /a/{id}", "POST /a/{id}", false), ("GET /a", "GET /a", true),
    ("GET /a/b", "GET /a/c", false), ("GET /{x}/b", "GET /a/{y}", true), ("GET /a", "GET /a/{id}", false),
  ])
  func twoRoutesMayBeForTheSameRequest(_ one: String, _ other: String, _ overlap: Bool) throws {
    let (one, other) = (try #require(RoutePattern(one)), try #require(RoutePattern(other)))

    #expect(one.overlaps(other) == overlap && other.overlaps(one) == overlap)
  }

  @Test func isWrittenAsItWasRead() {
    #expect(RoutePattern("DELETE /api/v1/devices/{id}")?.description == "DELETE /api/v1/devices/{id}")
  }
}

@RunnerLoop
struct CallerLimitTests {
  private final class Time: @unchecked Sendable {
    var now = ContinuousClock.now
  }

  @Test func aCallerMayMakeSoManyCallsAndThenOneAfterTheOther() {
    let time = Time()
    let limit = CallerLimit(callsAMinute: 60) { time.now }

    #expect((1...60).allSatisfy { _ in limit.secondsToWait("Bearer a") == nil })
    #expect(limit.secondsToWait("Bearer a") == 1)
    #expect(limit.secondsToWait("bEARER   a") == 1)
    #expect(limit.secondsToWait("bearer b") == nil)
    time.now += .seconds(1)
    #expect(limit.secondsToWait("Bearer a") == nil)
    #expect(limit.secondsToWait("Bearer a") == 1)
  }

  @Test func withoutATokenTheAddressIsTheCaller() {
    let limit = CallerLimit(callsAMinute: 1)
    let (one, other) = (ClientAddress(IPAddress("192.0.2.1")), ClientAddress(IPAddress("192.0.2.2")))

    #expect(limit.secondsToWait(nil, from: one) == nil && limit.secondsToWait(nil, from: other) == nil)
    #expect(limit.secondsToWait(nil, from: one) != nil)
    #expect(limit.secondsToWait("Bearer a", from: one) == nil && limit.secondsToWait("Bearer a", from: other) != nil)
  }

  @Test func aLongPauseFillsTheBucketAndNoMore() {
    let time = Time()
    let limit = CallerLimit(callsAMinute: 2) { time.now }

    #expect(limit.secondsToWait(nil) == nil && limit.secondsToWait(nil) == nil)
    #expect(limit.secondsToWait(nil) == 30)
    time.now += .seconds(3_600)
    #expect(limit.secondsToWait(nil) == nil && limit.secondsToWait(nil) == nil)
    #expect(limit.secondsToWait(nil) == 30)
  }

  @Test func manyCallersAreNotRememberedForEver() {
    let time = Time()
    let limit = CallerLimit(callsAMinute: 1) { time.now }

    for caller in 0..<25_000 { #expect(limit.secondsToWait("Bearer \(caller)") == nil) }

    #expect(limit.remembered <= 10_000)
  }
}

struct CrossOriginTests {
  private func origin(_ value: String?, allowed: String?) throws -> String? {
    let headers = value.map { ["origin": $0] as HeaderFields } ?? [:]
    return try CrossOrigin(allowed).origin(of: HTTP1Request(method: "GET", path: "/", headers: headers))
  }

  @Test func onlyPagesThatAreNamedMayCall() throws {
    let allowed = "https://app.example.com http://localhost:3000"

    #expect(try origin("https://app.example.com", allowed: allowed) == "https://app.example.com")
    #expect(try origin("http://localhost:3000", allowed: allowed) == "http://localhost:3000")
    for other in ["https://example.com", "http://app.example.com", "https://app.example.com.evil.example", "null", nil]
    {
      #expect(try origin(other, allowed: allowed) == nil)
    }
    #expect(try origin("https://app.example.com", allowed: nil) == nil)
  }

  @Test(arguments: ["*", "app.example.com", "https://*.example.com", "https://example.com/path", "https://"])
  func aPatternIsNoOrigin(_ text: String) {
    #expect(throws: CrossOrigin.MistakenOrigin.self) { try CrossOrigin(text) }
  }
}
