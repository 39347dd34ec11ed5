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
    private let own: @Sendable (_ language: String) -> String?
    /// The languages of an app's own texts.
    let ownLanguages: @Sendable () -> [String]
    /// The catalogues by language; `nil` for one without a file.
    private var catalogues: [String: TextCatalogue?] = [:]

    init(
      own: @escaping @Sendable (_ language: String) -> String? = { _ in nil },
      _ ownLanguages: @escaping @Sendable () -> [String] = { [] }
    ) { (self.own, self.ownLanguages) = (own, ownLanguages) }

    /// The texts of a language that has a file: a text that it lacks is that of the language without its last part.
    mutating func texts(of language: String) -> TextCatalogue? {
      if let known = catalogues[language] { return known }
      let texts = read(language)
      if catalogues.count < mostKept || texts != nil { catalogues.updateValue(texts, forKey: language) }
      return texts
    }

    private mutating func read(_ language: String) -> TextCatalogue? {
      let (built, own) = (Texts.built(language), ownTexts(language))
      if own.texts.isEmpty { return built }
      return (built ?? wider(language) ?? TextCatalogue()).overridden(by: own)
    }

    private func ownTexts(_ language: String) -> TextCatalogue {
      guard let file = own(language), let texts = try? TextCatalogue(file),
        let english = Texts.built(Language.englishTag)
      else { return TextCatalogue() }
      return texts.fitting(english)
    }

    private mutating func wider(_ language: String) -> TextCatalogue? {
      guard let end = language.lastIndex(of: "-") else { return nil }
      let wider = String(language[..<end])
      return texts(of: wider) ?? self.wider(wider)
    }
  }

  private static let kept = Mutex(Kept())
  /// Anybody may name languages that are not there: no more than these are remembered.
  private static let mostKept = 1_000

  /// Adds an app's own texts, which win, before anything is said.
  /// - Parameters:
  ///   - languages: reads which languages have a file.
  ///   - own: reads the file of a language; `nil` if there is none. One that cannot be used is left out.
  package static func add(
    of languages: @escaping @Sendable () -> [String], _ own: @escaping @Sendable (_ language: String) -> String?
  ) {
    kept.withLock { $0 = Kept(own: own, languages) }
  }

  /// The languages that come with the program, and those of an app's own texts.
  static var all: Set<String> { Set(languages + kept.withLock(\.ownLanguages)()) }

  /// The nearest language that there are texts in.
  package static func nearest(to tag: LanguageTag) -> String? {
    kept.withLock { kept in tag.nearest { kept.texts(of: $0) != nil } }
  }

  /// The texts of a language, or of the nearest one that there are texts in; none if it is unknown.
  package static func texts(in language: String) -> TextCatalogue {
    kept.withLock { kept in
      let nearest = LanguageTag(language)?.nearest { kept.texts(of: $0) != nil }
      return nearest.flatMap { kept.texts(of: $0) } ?? TextCatalogue()
    }
  }

  private static func built(_ language: String) -> TextCatalogue? {
    guard let file = shim_texts(language) else { return nil }
    do {
      return try TextCatalogue(String(cString: file))
    } catch {
      preconditionFailure("\(language).strings: \(error)")
    }
  }
}
