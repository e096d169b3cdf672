using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace BigPile.Checking;

/// <summary>What a structure states of itself, put to the test.</summary>
/// <remarks>Nothing is made of strings before something does not hold: tests check after every step.</remarks>
internal static class Invariant
{
    /// <summary>States that something is what it should be.</summary>
    /// <param name="structure">What is checked.</param>
    /// <param name="place">Which one of them, or where in it.</param>
    /// <param name="what">What of it.</param>
    /// <param name="actual">What it is.</param>
    /// <param name="expected">What it should be.</param>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal static void Equal<T>(string structure, long place, string what, T actual, T expected)
    {
        if (!EqualityComparer<T>.Default.Equals(actual, expected))
            Fail(structure, place, what, actual, expected);
    }

    /// <summary>States that a number lies between others.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal static void Between(string structure, long place, string what, long actual, long least, long most)
    {
        if (actual < least || actual > most)
            Fail(structure, place, what, actual, string.Create(CultureInfo.InvariantCulture, $"from {least} to {most}"));
    }

    /// <summary>States that something holds.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal static void True(string structure, long place, string what, bool holds) => Equal(structure, place, what, holds, true);

    /// <summary>States that something does not hold.</summary>
    /// <exception cref="InvalidOperationException">It does.</exception>
    internal static void False(string structure, long place, string what, bool holds) => Equal(structure, place, what, holds, false);

    /// <summary>Throws unless something holds; the text is made only then.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal static void Require(
        [DoesNotReturnIf(false)] bool holds, [InterpolatedStringHandlerArgument(nameof(holds))] ref Wrong wrong)
    {
        if (!holds)
            throw new InvalidOperationException(wrong.ToString());
    }

    [DoesNotReturn]
    private static void Fail(string structure, long place, string what, object? actual, object? expected) =>
        throw new InvalidOperationException(
            string.Create(CultureInfo.InvariantCulture, $"{structure} {place}: {what} is {actual}, and should be {expected}."));

    /// <summary>A text that is made only of what is wrong.</summary>
    [InterpolatedStringHandler]
    internal readonly ref struct Wrong
    {
        private readonly StringBuilder? _text;

        public Wrong(int literalLength, int formattedCount, bool holds, out bool isNeeded)
        {
            isNeeded = !holds;
            _text = isNeeded ? new StringBuilder(literalLength + formattedCount * 8) : null;
        }

        public void AppendLiteral(string text) => _text!.Append(text);

        public void AppendFormatted<T>(T value) => _text!.Append(value);

        public override string ToString() => _text!.ToString();
    }
}
