using System;

namespace BigPile.Perf.Payloads;

/// <summary>A kind of object to load: how it is put and recognized.</summary>
/// <remarks>
/// Implemented by structs, so that the loops over objects are compiled for each kind separately and call nothing indirectly. The object of
/// a number is the one at <see cref="PayloadPool.IndexOf"/> in a pool that is made before anything is timed. Thread safety: each thread
/// uses its own instance, from <see cref="ForThread"/>.
/// </remarks>
/// <typeparam name="TSelf">The kind itself.</typeparam>
internal interface IPayloadKind<TSelf>
    where TSelf : struct, IPayloadKind<TSelf>
{
    /// <summary>The kind for one thread, with whatever memory it reuses.</summary>
    TSelf ForThread();

    /// <summary>Puts the object of a number.</summary>
    PilePointer Put(Pile pile, int number);

    /// <summary>Gets the object and checks cheaply whether it is the one of that number.</summary>
    bool IsIntact(Pile pile, PilePointer pointer, int number);

    /// <summary>
    /// Gets at most <see cref="PayloadPool.BatchSize"/> objects at once and checks whether they are the ones of those numbers.
    /// </summary>
    bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers);
}

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

/// <summary>Payloads of bytes of one length.</summary>
/// <remarks>
/// The pool is one array, and payload i is the window that starts at its byte i: a thousand distinct payloads of any length need hardly
/// more memory than one. A get copies into a buffer that the thread reuses (<see cref="Pile.TryRead"/>), so that the figure is the pile's
/// and not that of array allocation.
/// </remarks>
internal readonly struct BytesKind : IPayloadKind<BytesKind>
{
    private readonly byte[] _pool;
    private readonly byte[] _buffer;
    private readonly byte[]?[] _batch;
    private readonly int _lengthBytes;

    internal BytesKind(int lengthBytes) : this(PayloadPool.MakeBytes(lengthBytes + PayloadPool.Size), [], [], lengthBytes)
    {
    }

    private BytesKind(byte[] pool, byte[] buffer, byte[]?[] batch, int lengthBytes)
    {
        _pool = pool;
        _buffer = buffer;
        _batch = batch;
        _lengthBytes = lengthBytes;
    }

    public BytesKind ForThread() => new(_pool, new byte[_lengthBytes], new byte[]?[PayloadPool.BatchSize], _lengthBytes);

    public PilePointer Put(Pile pile, int number) =>
        pile.Put(new ReadOnlySpan<byte>(_pool, PayloadPool.IndexOf(number), _lengthBytes));

    public bool IsIntact(Pile pile, PilePointer pointer, int number) =>
        pile.Read(pointer, _buffer) == _buffer.Length && IsSame(_buffer, number);

    public bool AreIntact(Pile pile, ReadOnlySpan<PilePointer> pointers, ReadOnlySpan<int> numbers)
    {
        bool areIntact = pile.GetMany(pointers, _batch.AsSpan()) == pointers.Length;
        for (int i = 0; i < numbers.Length && areIntact; i++)
            areIntact = _batch[i]!.Length == _lengthBytes && IsSame(_batch[i]!, numbers[i]);
        return areIntact;
    }

    private bool IsSame(byte[] actual, int number)
    {
        int first = PayloadPool.IndexOf(number);
        return actual[0] == _pool[first] && actual[^1] == _pool[first + actual.Length - 1];
    }
}

/// <summary>The distinct objects that a load puts again and again.</summary>
internal static class PayloadPool
{
    /// <summary>The number of distinct objects; a power of two.</summary>
    internal const int Size = 1024;

    /// <summary>The most objects that are got at once.</summary>
    internal const int BatchSize = 64;

    // The pool is the same in every run, so that runs can be compared.
    private const int Seed = 7321;

    /// <summary>The place in the pool of the object with a number.</summary>
    internal static int IndexOf(int number) => number & (Size - 1);

    /// <summary>Makes the objects.</summary>
    internal static T[] Make<T>(Func<int, Random, T> makeOne)
    {
        var random = new Random(Seed);
        var pool = new T[Size];
        for (int i = 0; i < pool.Length; i++)
            pool[i] = makeOne(i, random);
        return pool;
    }

    /// <summary>Random bytes.</summary>
    internal static byte[] MakeBytes(int lengthBytes)
    {
        var bytes = new byte[lengthBytes];
        new Random(Seed).NextBytes(bytes);
        return bytes;
    }
}
