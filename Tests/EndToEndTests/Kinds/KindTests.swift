import Foundation
import FunctionKit
import TestSupport
import Testing

/// Every kind of every app, from what happens in the app to the phone.
@Suite(.heavy)
struct KindTests {
  @Test func everyKindArrivesWithItsPayloadAndNothingElseDoes() async throws {
    try await expectEveryKind(KindScene())
  }

  /// A right that the role lacks, a kind would lack.
  @Test(.qualifiesReleases, arguments: RoleServer.allCases)
  func everyKindArrivesWhereARoleServesThatOwnsNothing(_ server: RoleServer) async throws {
    let scene = try await KindScene(on: server)
    try await expectEveryKind(scene)
    #expect(scene.failures == [])
  }

  private func expectEveryKind(_ scene: KindScene) async throws {
    try await scene.play(KindCase.all)
    let all = try await scene.phones.pushes()

    for (index, row) in KindCase.all.enumerated() {
      let pushes = scene.pushes(of: index, among: all)
      #expect(pushes.mapValues(\.count) == row.pushes.mapValues { _ in 1 }, "\(row.name): who is told, and how often")
      for (person, expected) in row.pushes {
        guard let push = pushes[person]?.first else { continue }
        let about: Comment = "\(row.name) to \(row.people[person] ?? "")"
        let (id, expiry) = try await scene.notification(of: row, index, to: person)

        let onFile = try scene.payload(row.file(of: expected), of: index, badge: expected.badge, id: id)
        let payload = try scene.payload(of: push)
        #expect(payload == onFile, about)
        #expect(push["topic"]?.stringValue == "com.example.\(row.app)", about)
        #expect(push["pushType"]?.stringValue == "alert", about)
        #expect(push["priority"]?.intValue == row.priority, about)
        // Of several changes of the options, the last one lies on the phone.
        let collapseID = push["collapseID"]?.stringValue
        #expect(row.kind == "proposal_updated" ? collapseID?.hasPrefix(row.kind) == true : collapseID == id, about)
        #expect(abs((push["expiration"]?.intValue ?? 0) - expiry) <= 1, about)
      }
    }
  }

  /// The files are those of the catalogue, which another test sees to.
  @Test func everyPayloadOnFileIsExpectedFromSomething() throws {
    let folder = House.root.appending(path: "Tests/FunctionTests/Payloads")
    let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []

    #expect(KindCase.all.reduce(into: Set()) { $0.formUnion($1.files) } == Set(files.filter { $0.hasSuffix(".json") }))
  }
}
