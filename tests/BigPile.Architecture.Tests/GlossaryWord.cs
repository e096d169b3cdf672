using System.Collections.Immutable;

namespace BigPile.Architecture.Tests;

/// <summary>A row of the glossary.</summary>
/// <param name="Word">The word.</param>
/// <param name="Meaning">What it means in the code and in the documents.</param>
/// <param name="Source">The system or paper that it is taken from; empty for what all engines say.</param>
/// <param name="OldTerms">What was said before, in small letters; no identifier has it any more.</param>
internal sealed record GlossaryWord(string Word, string Meaning, string Source, ImmutableArray<string> OldTerms);
