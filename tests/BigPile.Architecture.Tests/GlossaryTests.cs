using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>Identifiers use the words of the glossary, and none that these took the place of.</summary>
public sealed class GlossaryTests
{
    /// <summary>What users wrote into their code, settings and dashboards: it stays as it was.</summary>
    private static readonly HashSet<string> Api = new(StringComparer.Ordinal)
    {
        "UnexaminedBytes", "FactoryPatience", "DoorRequests", "DoorHandOvers", "DoorReturns", "FastDoor",
    };

    /// <summary>Names of the base class library that are in ours.</summary>
    private static readonly string[] NamesOfOthers = ["FrozenSet", "FrozenDictionary", "examined"];

    [Fact]
    public void Identifiers_have_no_word_that_the_glossary_replaced() =>
        KnownExceptions.Compare("old word", (from file in Sources.Below("src", "tests", "perf")
            from identifier in Identifiers.DeclaredIn(string.Join('\n', file.Lines)).Distinct()
            where !file.Path.StartsWith("tests/", StringComparison.Ordinal) || !identifier.Contains('_', StringComparison.Ordinal)
                || identifier[0] == '_'
            where !Api.Contains(identifier)
            let own = NamesOfOthers.Aggregate(identifier, static (rest, name) => rest.Replace(name, "", StringComparison.Ordinal))
            let term = Glossary.OldTermIn(own)
            where term != null
            select $"{identifier} in {file.Path}, of \"{term}\"").ToArray());

    [Fact]
    public void Each_word_of_the_glossary_has_one_row_and_a_meaning()
    {
        Assert.True(Glossary.Words.Length >= 45, $"The glossary has {Glossary.Words.Length} words.");
        Assert.Equal(Glossary.Words.Length, Glossary.Words.Select(static word => word.Word).Distinct().Count());
        Assert.All(Glossary.Words, static word => Assert.NotEmpty(word.Meaning));
        Assert.Empty(Glossary.OldTerms.Select(static term => string.Join(' ', term))
            .GroupBy(static term => term).Where(static same => same.Count() > 1).Select(static same => same.Key));
    }

    [Theory]
    [InlineData("class RoomMaker { }", "room")]
    [InlineData("class A { int _keyRooms; }", "room")]
    [InlineData("class A { void NoteFailure() { } }", "note")]
    [InlineData("class A { void M(int isMoved) { } }", "moved")]
    [InlineData("class A { void M() { foreach (int gate in new int[0]) { } } }", "gate")]
    [InlineData("class A { void M() { int noted = 0; } }", "note")]
    [InlineData("namespace BigPile.Upkeep;", "upkeep")]
    [InlineData("class A { void M() { if (1 is int look) { } } }", "look")]
    public void A_planted_old_word_is_found(string text, string term) =>
        Assert.Contains(term, Identifiers.DeclaredIn(text).Select(Glossary.OldTermIn));

    [Theory]
    [InlineData("class Lookup { bool Removed; void Delegate() { } int Aggregate; string Footnote; bool Broom; }")]
    [InlineData("class A { object M() => Room.Gate.Look(); }")] // names of others, which are only used
    public void Words_that_only_contain_an_old_one_are_no_hits(string text) =>
        Assert.DoesNotContain(Identifiers.DeclaredIn(text), static identifier => Glossary.OldTermIn(identifier) != null);
}
