using System;
using BigPile.Memory;

namespace BigPile.Tests.Durability;

/// <summary>Has file operations fail.</summary>
/// <param name="refusal">The exception that an operation on a path ends with; null: none.</param>
internal sealed class RefusingHook(Func<FileOperation, string, Exception?> refusal) : IFileHook
{
    public void Before(FileOperation operation, string path)
    {
        if (refusal(operation, path) is { } exception)
            throw exception;
    }

    public void After(FileOperation operation, string path)
    {
    }
}
