using System;

namespace BigPile.Perf.Payloads;

/// <summary>ASCII strings of one length.</summary>
internal readonly struct TextKind : IPayloadKind<TextKind>
{
    private const string Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    private readonly string[] _pool;
    private readonly string?[] _batch;

    internal TextKind(int length) : this(PayloadPool.Make((index, random) => MakeText(index, length, random)), [])
    {
    }

    private TextKind(string[] pool, string?[] batch)
    {
        _pool = pool;
        _batch = batch;
    }

    public TextKind ForThread() => new(_pool, new string?[PayloadPool.BatchSize]);

    public PilePointer Put(Pile pile, int number) => pile.Put(_pool[PayloadPool.IndexOf(number)]);

    public bool IsIntact(Pile pile, PilePointer pointer, int number) => IsSame(pile.Get<string>(pointer), number);

    public bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers)
    {
        bool areIntact = pile.GetMany(pointers, _batch.AsSpan()) == pointers.Length;
        for (int i = 0; i < numbers.Length && areIntact; i++)
            areIntact = IsSame(_batch[i]!, numbers[i]);
        return areIntact;
    }

    private bool IsSame(string actual, int number)
    {
        string expected = _pool[PayloadPool.IndexOf(number)];
        return actual.Length == expected.Length && actual[0] == expected[0] && actual[1] == expected[1];
    }

    // The first two characters are the text's index in the pool, so that they suffice to recognize it.
    private static string MakeText(int index, int length, Random random)
    {
        var chars = new char[length];
        for (int i = 0; i < chars.Length; i++)
            chars[i] = Alphabet[random.Next(Alphabet.Length)];
        chars[0] = Alphabet[index / Alphabet.Length];
        chars[1] = Alphabet[index % Alphabet.Length];
        return new string(chars);
    }
}
