using System;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Layout;

namespace BigPile;

/// <summary>Objects: storing, reading, replacing and deleting them.</summary>
public sealed partial class Pile
{
    /// <summary>Stores an object and everything that it reaches.</summary>
    /// <param name="value">The object. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <returns>The pointer that names the object from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that can't be stored.</exception>
    public PilePointer Put(object value) => _objects.Put(value);

    /// <summary>Stores a string, without the codec.</summary>
    /// <returns>The pointer that names the string from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    public PilePointer Put(string value) => _objects.Put(value);

    /// <summary>Stores a byte array, without the codec.</summary>
    /// <returns>The pointer that names the bytes from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    public PilePointer Put(byte[] value)
    {
        ArgumentNullException.ThrowIfNull(value);
        return _writer.Put(value, BlockKind.Bytes);
    }

    /// <summary>Stores bytes, without the codec. <c>Get</c> returns them as a byte array.</summary>
    /// <param name="value">The bytes; from 0 to 1 GiB.</param>
    /// <returns>The pointer that names the bytes from now on.</returns>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    public PilePointer Put(ReadOnlySpan<byte> value) => _writer.Put(value, BlockKind.Bytes);

    /// <summary>Stores bytes from several buffers, without joining them first.</summary>
    /// <remarks>The buffers are pinned while they are copied.</remarks>
    /// <param name="value">The bytes; from 0 to 1 GiB.</param>
    /// <returns>The pointer that names the bytes from now on.</returns>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    public PilePointer Put(in ReadOnlySequence<byte> value) => _objects.Put(value);

    /// <summary>Not to be called: a pointer is not an object to store. <c>Replace</c> replaces the object that it names.</summary>
    [Obsolete("A pointer is no object to store. Replace puts another object in the place of the one that it names.", error: true)]
    public PilePointer Put(PilePointer pointer) => throw new NotSupportedException();

    /// <summary>Stores an object with extra capacity to grow in place.</summary>
    /// <param name="value">The object. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <param name="capacityBytes">Bytes of payload to reserve; from 0 to 1 GiB. A payload that is larger gets what it needs.</param>
    /// <returns>The pointer that names the object from now on.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The bytes to reserve are negative.</exception>
    /// <exception cref="PileFullException">There is no space; the pile is unchanged.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that can't be stored.</exception>
    public PilePointer PutWithCapacity(object value, int capacityBytes) => _objects.Put(value, capacityBytes);

    /// <summary>Stores many objects: all of them, or none.</summary>
    /// <remarks>If the process is killed during the call, a mapped pile may hold some of them, without a pointer to them.</remarks>
    /// <typeparam name="T">The objects' type.</typeparam>
    /// <param name="values">The objects. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <param name="pointers">Gets the pointers in the same order; at least as long as the objects.</param>
    /// <exception cref="ArgumentException">There are fewer places for pointers than objects.</exception>
    /// <exception cref="ArgumentNullException">One of the objects is <see langword="null"/>; the pile is unchanged.</exception>
    /// <exception cref="PileFullException">There is no space for all; the pile is unchanged.</exception>
    /// <exception cref="PileSerializationException">A graph holds something that can't be stored; the pile is unchanged.</exception>
    public void PutMany<T>(ReadOnlySpan<T> values, Span<PilePointer> pointers)
        where T : class =>
        _batch.PutMany(values, pointers);

    /// <summary>Replaces the object that a pointer names.</summary>
    /// <param name="pointer">The object; the pointer stays valid whatever the size of the new one.</param>
    /// <param name="value">The new object. Strings and byte arrays are stored as they are, anything else by the codec.</param>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">There is no space; the old object stays.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that can't be stored.</exception>
    public void Replace(PilePointer pointer, object value) =>
        Require(_objects.TryReplace(pointer, value), pointer);

    /// <summary>Replaces the object that a pointer names by bytes.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">There is no space; the old object stays.</exception>
    public void Replace(PilePointer pointer, ReadOnlySpan<byte> value) =>
        Require(_replacer.TryReplace(pointer, value, BlockKind.Bytes), pointer);

    /// <summary>Replaces the object that a pointer names, if it still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    /// <exception cref="PileFullException">There is no space; the old object stays.</exception>
    /// <exception cref="PileSerializationException">The graph holds something that can't be stored.</exception>
    public bool TryReplace(PilePointer pointer, object value) => _objects.TryReplace(pointer, value);

    /// <summary>Reads an object: returns an equal graph, a new one on each call.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    public object Get(PilePointer pointer)
    {
        if (!_objects.TryGet(pointer, out object? value))
            Throw.NoSuchObject(pointer);
        return value;
    }

    /// <summary>Reads an object of a known type.</summary>
    /// <typeparam name="T">The object's type, or one that it derives from.</typeparam>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="InvalidCastException">The object is of another type.</exception>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    public T Get<T>(PilePointer pointer) => As<T>(pointer, Get(pointer));

    /// <summary>Reads an object, if the pointer still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    public bool TryGet(PilePointer pointer, [NotNullWhen(true)] out object? value) => _objects.TryGet(pointer, out value);

    /// <summary>Reads an object of a known type, if the pointer still names one.</summary>
    /// <typeparam name="T">The object's type, or one that it derives from.</typeparam>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="InvalidCastException">The object is of another type.</exception>
    /// <exception cref="PileSerializationException">The payload can't be read as objects.</exception>
    public bool TryGet<T>(PilePointer pointer, [MaybeNullWhen(false)] out T value)
    {
        bool found = _objects.TryGet(pointer, out object? any);
        value = found ? As<T>(pointer, any!) : default;
        return found;
    }

    /// <summary>Reads many objects; several times as fast as one by one if they are scattered in a large pile.</summary>
    /// <typeparam name="T">The objects' type, or one that they derive from; a class.</typeparam>
    /// <param name="pointers">The objects.</param>
    /// <param name="values">
    /// Gets the objects in the same order; <see langword="null"/> for each pointer that names no live object. At least as long as the
    /// pointers.
    /// </param>
    /// <returns>How many of the pointers named an object.</returns>
    /// <exception cref="ArgumentException">There are fewer places for values than pointers.</exception>
    /// <exception cref="InvalidCastException">An object is of another type; the ones before it were read.</exception>
    /// <exception cref="PileSerializationException">A payload can't be read as objects; the ones before it were read.</exception>
    public int GetMany<T>(ReadOnlySpan<PilePointer> pointers, Span<T?> values)
        where T : class =>
        _batch.GetMany(pointers, values);

    /// <summary>Whether the pointer names a live object.</summary>
    public bool Contains(PilePointer pointer)
    {
        var reader = default(SizeReader);
        return _reader.TryRead(pointer, ref reader);
    }

    /// <summary>Deletes an object. The pointer, and every copy of it, names nothing from now on.</summary>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileFullException">
    /// So many flushed objects were changed since the last flush that the table of shadow headers is full, and the device refuses a flush.
    /// </exception>
    public void Delete(PilePointer pointer) =>
        Require(_remover.TryRemove(pointer), pointer);

    /// <summary>Deletes an object, if the pointer still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="PileFullException">See <see cref="Delete"/>.</exception>
    public bool TryDelete(PilePointer pointer) => _remover.TryRemove(pointer);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static T As<T>(PilePointer pointer, object value) => value is T typed ? typed : Throw.WrongType<T>(pointer, value);

    private static void Require(bool found, PilePointer pointer)
    {
        if (!found)
            Throw.NoSuchObject(pointer);
    }
}
