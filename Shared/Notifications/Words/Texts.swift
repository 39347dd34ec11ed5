import CLanguages
package import Locales
import Synchronization

/// The texts of all languages.
///
/// Each is read when somebody is first told something in it.
package enum Texts {
  /// The languages that come with the program.
  package static let languages: [String] = (Int32(0)..<100).prefix { shim_language($0) != nil }
    .compactMap { shim_language($0).map { String(cString: $0) } }

  private struct Kept {
    var own: @Sendable (_ language: String) -> String? = { _ in nil }
    var catalogues: [String: TextCatalogue] = [:]
  }

  private static let kept = Mutex(Kept())
  /// Anybody may name languages that are not there: no more than these are remembered.
  private static let mostKept = 1_000

  /// Adds an app's own texts, which win, before anything is said.
  /// - Parameter own: reads the file of a language; `nil` if there is none. One that cannot be used is left out.
  package static func add(_ own: @escaping @Sendable (_ language: String) -> String?) {
    kept.withLock { $0 = Kept(own: own) }
  }

  /// The nearest language that there are texts in.
  package static func nearest(to tag: LanguageTag) -> String? {
    tag.nearest { shim_texts($0) != nil || !texts(in: $0).texts.isEmpty }
  }

  /// The texts of a language; none if it is unknown.
  package static func texts(in language: String) -> TextCatalogue {
    kept.withLock { kept in
      if let catalogue = kept.catalogues[language] { return catalogue }
      let catalogue = catalogue(in: language, kept.own)
      if kept.catalogues.count < mostKept || !catalogue.texts.isEmpty { kept.catalogues[language] = catalogue }
      return catalogue
    }
  }

  private static func catalogue(in language: String, _ own: (String) -> String?) -> TextCatalogue {
    let texts = built(language)
    guard let file = own(language), let own = try? TextCatalogue(file) else { return texts }
    return texts.overridden(by: own, knowing: built(Language.englishTag))
  }

  private static func built(_ language: String) -> TextCatalogue {
    guard let file = shim_texts(language) else { return TextCatalogue() }
    do {
      return try TextCatalogue(String(cString: file))
    } catch {
      preconditionFailure("\(language).strings: \(error)")
    }
  }
}
