using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Runtime.CompilerServices;
using System.Text;

namespace BigPile.Memory.Checking;

/// <summary>Checks of invariants, for tests.</summary>
/// <remarks>Builds no strings unless a check fails: tests check after every step.</remarks>
internal static class Invariant
{
    /// <summary>Checks that a value is the expected one.</summary>
    /// <param name="structure">The structure that is checked.</param>
    /// <param name="place">Which instance of it, or where in it.</param>
    /// <param name="what">Which value of it.</param>
    /// <param name="actual">The value.</param>
    /// <param name="expected">The expected value.</param>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal static void Equal<T>(string structure, long place, string what, T actual, T expected)
    {
        if (!EqualityComparer<T>.Default.Equals(actual, expected))
            Fail(structure, place, what, actual, expected);
    }

    /// <summary>Checks that a number is in a range.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal static void Between(string structure, long place, string what, long actual, long least, long most)
    {
        if (actual < least || actual > most)
            Fail(structure, place, what, actual, string.Create(CultureInfo.InvariantCulture, $"from {least} to {most}"));
    }

    /// <summary>Checks that a condition is true.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal static void True(string structure, long place, string what, bool holds) => Equal(structure, place, what, holds, true);

    /// <summary>Checks that a condition is false.</summary>
    /// <exception cref="InvalidOperationException">It is not.</exception>
    internal static void False(string structure, long place, string what, bool holds) => Equal(structure, place, what, holds, false);

    /// <summary>Checks a condition with a message that is built only if it fails.</summary>
    /// <exception cref="InvalidOperationException">It fails.</exception>
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

    /// <summary>A message that is built only if the check fails.</summary>
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
