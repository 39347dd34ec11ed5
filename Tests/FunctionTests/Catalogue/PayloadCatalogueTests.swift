import Foundation
import Notifications
import Testing

/// Every kind has its payload on file; that the files arrive on phones is seen from end to end.
struct PayloadCatalogueTests {
  @Test(arguments: App.allCases) func theFilesOfAnAppAreItsKinds(app: App) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Payloads/\(app.rawValue)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)

    let kinds = Kind.catalogue.filter { $0.app == app }.map(\.name)

    #expect(Set(files.map { String($0.prefix { $0 != "." }) }) == Set(kinds))
    #expect(Set(kinds).count == kinds.count)
  }
}
