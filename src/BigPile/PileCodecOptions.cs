using System;
using System.Collections.Generic;
using System.Reflection;
using BigPile.Codec;

namespace BigPile;

/// <summary>What the codec may read and write.</summary>
/// <remarks>
/// Types of the entry assembly and of all assemblies that refer to BigPile are allowed without further ado; so are the types of the base
/// class library that hold data. Types of other assemblies must be allowed here, since a stored type name never makes the codec load or
/// use a type that the application did not mean to store. Thread safety: none; the options are read when the codec is made.
/// </remarks>
public sealed class PileCodecOptions
{
    internal HashSet<Assembly> Assemblies { get; } = [];

    internal HashSet<Type> Types { get; } = [];

    /// <summary>When types get generated code. Tests choose, so that every case runs on the interpreter alone and on generated code alone.</summary>
    internal CodeGeneration CodeGeneration { get; set; } =
        System.Runtime.CompilerServices.RuntimeFeature.IsDynamicCodeCompiled ? CodeGeneration.WhenHot : CodeGeneration.Never;

    /// <summary>Allows the objects of one class or structure; a generic one with any allowed arguments.</summary>
    /// <returns>These options.</returns>
    public PileCodecOptions Allow(Type type)
    {
        ArgumentNullException.ThrowIfNull(type);
        Types.Add(type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type);
        return this;
    }

    /// <summary>Allows all classes and structures of an assembly.</summary>
    /// <returns>These options.</returns>
    public PileCodecOptions Allow(Assembly assembly)
    {
        ArgumentNullException.ThrowIfNull(assembly);
        Assemblies.Add(assembly);
        return this;
    }
}
