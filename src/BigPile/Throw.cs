using System;
using System.Diagnostics.CodeAnalysis;

namespace BigPile;

/// <summary>Throw helpers: kept out of line so that their callers stay small enough to be inlined.</summary>
internal static class Throw
{
    [DoesNotReturn]
    internal static void NoSuchObject(PilePointer pointer) =>
        throw new PilePointerException(
            pointer.IsValid
                ? $"The pointer {pointer} names no live object of this pile: the object was deleted, or belongs to another pile."
                : "The pointer is invalid: it never named an object.");

    [DoesNotReturn]
    internal static void ReadOnly(string? directory) =>
        throw new InvalidOperationException(
            $"The pile in '{directory}' was opened for reading only. Open it without PileOptions.ReadOnly to change it.");

    [DoesNotReturn]
    internal static void DanglingLink(PilePointer pointer) =>
        throw new PileStorageException($"The pointer {pointer} is a link that leads to no payload of its own: the pile is damaged. "
            + "Verify it, and restore what is lost from a copy.");

    [DoesNotReturn]
    internal static void Damaged(string? directory, long payloadBytes) =>
        throw new PileStorageException(
            $"A payload of {payloadBytes:N0} bytes in '{directory}' no longer matches its checksum: the device or the memory is damaged. "
            + "Verify the pile, and restore what is lost from a copy.");

    [DoesNotReturn]
    internal static void Damaged(string? directory, PilePointer pointer) =>
        throw new PileStorageException(
            $"The object of {pointer} in '{directory}' is not what was written, or is a link that leads to no payload of its own: the "
            + "device or the memory is damaged. Verify the pile, and restore what is lost from a copy.");

    [DoesNotReturn]
    internal static void HeldByWriter(string? directory, PilePointer pointer) =>
        throw new PileBusyException(
            $"The object of {pointer} in '{directory}' is being replaced by a process that does not end it: it was stopped or killed. "
            + "Try again, or open the pile for writing once, which recovers it.");

    [DoesNotReturn]
    internal static void HeldByRecovery(string? directory) =>
        throw new PileBusyException(
            $"The pile in '{directory}' is being opened by a process that does not end it: it recovers much, was stopped or killed. Try "
            + "again, or open the pile for writing once, which recovers it.");

    [DoesNotReturn]
    internal static void BelongsToTable(PilePointer pointer) =>
        throw new PilePointerException($"The pointer {pointer} names an entry of a table. Change it through the table.");

    [DoesNotReturn]
    internal static void WriteOutside(int offsetBytes, int sourceBytes, long payloadBytes) =>
        throw new ArgumentOutOfRangeException(
            nameof(offsetBytes),
            $"{sourceBytes:N0} bytes at offset {offsetBytes:N0} do not lie within the payload of {payloadBytes:N0} bytes. Replace the "
            + "object to give it another length.");

    [DoesNotReturn]
    internal static void NoLeaseOfReader(string? directory) =>
        throw new InvalidOperationException(
            $"The pile in '{directory}' was opened for reading only, and its writer knows of no lease. Copy the payload instead.");

    [DoesNotReturn]
    internal static void NotTrimmed(string? directory, Exception failure) =>
        throw new PileStorageException(
            $"Not all empty segments of the pile in '{directory}' could be given back: {failure.Message} "
            + "Nothing is lost; trim again once the device can be written.", failure);

    [DoesNotReturn]
    internal static T WrongType<T>(PilePointer pointer, object value) =>
        throw new InvalidCastException(
            $"The object of {pointer} is a {value.GetType()}, and was asked for as a {typeof(T)}. Ask for its type, or one that it "
            + "derives from.");
}
