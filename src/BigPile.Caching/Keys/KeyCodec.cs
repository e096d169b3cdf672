using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Unicode;

namespace BigPile.Caching.Keys;

/// <summary>Turns keys into the bytes that entries hold and that the index compares, and back.</summary>
internal static class KeyCodec
{
    /// <summary>The most bytes that a key may have.</summary>
    internal const int MaxKeyBytes = 4096;

    // No UTF-8 text begins with this byte; behind it are UTF-16 characters with lone surrogates, which UTF-8 would lose.
    private const byte Utf16Mark = 0xFF;

    /// <summary>The bytes that a caller should have ready on its stack.</summary>
    internal const int StackBytes = 256;

    /// <summary>The kind of a key type.</summary>
    /// <exception cref="NotSupportedException">Tables can't have such keys.</exception>
    internal static KeyKind KindOf<TKey>()
    {
        if (typeof(TKey) == typeof(string))
            return KeyKind.String;
        if (typeof(TKey) == typeof(long))
            return KeyKind.Int64;
        if (typeof(TKey) == typeof(Guid))
            return KeyKind.Guid;
        throw new NotSupportedException($"Keys of type {typeof(TKey)} are not supported. Use string, long or Guid.");
    }

    /// <summary>Writes a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="stack">Room for most keys.</param>
    /// <returns>The key's bytes, in the room given if they fit.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ReadOnlySpan<byte> Encode<TKey>(TKey key, Span<byte> stack)
        where TKey : notnull
    {
        if (typeof(TKey) == typeof(long))
        {
            BinaryPrimitives.WriteInt64LittleEndian(stack, Unsafe.BitCast<TKey, long>(key));
            return stack[..sizeof(long)];
        }
        if (typeof(TKey) == typeof(Guid))
        {
            Unsafe.As<TKey, Guid>(ref key).TryWriteBytes(stack);
            return stack[..16];
        }
        return EncodeText((string)(object)key, stack);
    }

    /// <summary>Reads a key.</summary>
    internal static TKey Decode<TKey>(ReadOnlySpan<byte> bytes)
        where TKey : notnull
    {
        if (typeof(TKey) == typeof(long))
            return (TKey)(object)BinaryPrimitives.ReadInt64LittleEndian(bytes);
        if (typeof(TKey) == typeof(Guid))
            return (TKey)(object)new Guid(bytes);
        return (TKey)(object)DecodeText(bytes);
    }

    /// <summary>Refuses a key that is too long.</summary>
    /// <exception cref="ArgumentException">The key has more than <see cref="MaxKeyBytes"/>.</exception>
    internal static void CheckLength(int lengthBytes)
    {
        if (lengthBytes > MaxKeyBytes)
            throw new ArgumentException($"The key has {lengthBytes:N0} bytes; {MaxKeyBytes:N0} are allowed. Use a digest of it.", "key");
    }

    private static ReadOnlySpan<byte> EncodeText(string key, Span<byte> stack)
    {
        ArgumentNullException.ThrowIfNull(key);
        OperationStatus status = Utf8.FromUtf16(key, stack, out _, out int lengthBytes, replaceInvalidSequences: false);
        if (status == OperationStatus.Done)
            return stack[..lengthBytes];
        if (status == OperationStatus.InvalidData)
            return EncodeUtf16(key);
        CheckLength(key.Length);
        var room = new byte[key.Length * 3];
        status = Utf8.FromUtf16(key, room, out _, out lengthBytes, replaceInvalidSequences: false);
        return status == OperationStatus.Done ? room.AsSpan(0, lengthBytes) : EncodeUtf16(key);
    }

    private static byte[] EncodeUtf16(string key)
    {
        CheckLength(key.Length);
        var bytes = new byte[1 + key.Length * sizeof(char)];
        bytes[0] = Utf16Mark;
        MemoryMarshal.AsBytes(key.AsSpan()).CopyTo(bytes.AsSpan(1));
        return bytes;
    }

    private static string DecodeText(ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty || bytes[0] != Utf16Mark)
            return Encoding.UTF8.GetString(bytes);
        var chars = new char[(bytes.Length - 1) / sizeof(char)];
        bytes[1..].CopyTo(MemoryMarshal.AsBytes(chars.AsSpan()));
        return new string(chars);
    }
}
