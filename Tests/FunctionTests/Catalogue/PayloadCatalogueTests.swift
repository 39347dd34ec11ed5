import Foundation
import Notifications
import Testing

/// Every kind that is worded here has its payload on file; that the files arrive on phones is seen from end to end.
struct PayloadCatalogueTests {
  @Test(arguments: try Repository.apps) func theFilesOfAnAppAreItsKinds(app: App) throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Payloads/\(app.rawValue)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)

    let kinds = app.profile.kinds.map(\.name)
    let named = Set(files.map { String($0.prefix { $0 != "." }) })

    #expect(named.subtracting(kinds) == [], "files of kinds that \(app.rawValue) does not have")
    if app.profile.hasOwnTables {
      #expect(
        Set(kinds).subtracting(named) == [], "kinds without a file in Tests/FunctionTests/Payloads/\(app.rawValue)")
    }
    #expect(Set(kinds).count == kinds.count)
  }
}
