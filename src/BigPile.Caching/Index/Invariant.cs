using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;

namespace BigPile.Caching.Index;

/// <summary>Says what is wrong when something does not hold that always must while nobody is at work.</summary>
internal static class Invariant
{
    /// <summary>Throws unless something holds; the text is made only then.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal static void Require(
        [DoesNotReturnIf(false)] bool holds, [InterpolatedStringHandlerArgument(nameof(holds))] ref Wrong wrong)
    {
        if (!holds)
            throw new InvalidOperationException(wrong.ToString());
    }

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
