using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace BigPile.Codec;

/// <summary>The closed set of types that a payload may name, and their names.</summary>
/// <remarks>
/// These are: types of the application's own assemblies, which are the entry assembly and all that refer to BigPile; what the options
/// allow; and the base class library's types that the codec has a format for. Nothing is ever loaded because stored text says so.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class TypeRegistry(PileCodecOptions options)
{
    private const string OwnName = "BigPile";

    private readonly ConditionalWeakTable<Assembly, StrongBox<bool>> _isOwn = [];
    private readonly ConditionalWeakTable<Assembly, Dictionary<string, Type>> _typesByName = [];

    /// <summary>Whether objects of a class or structure may be stored by their fields.</summary>
    public bool IsAllowed(Type type)
    {
        Type definition = type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
        return options.Types.Contains(definition) || IsOwn(definition.Assembly);
    }

    public string NameOf(Type type) => TypeName.Of(type, IsFramework);

    /// <summary>The type with a stored name.</summary>
    /// <exception cref="PileSchemaException">There is none that may be used.</exception>
    public Type Resolve(string name) => TypeName.Resolve(name, this);

    /// <summary>The type with a stored name, or null when there is none that may be used.</summary>
    public Type? TryResolve(string name)
    {
        try
        {
            return Resolve(name);
        }
        catch (PileSchemaException)
        {
            return null;
        }
    }

    /// <summary>A type that is no array and no constructed one.</summary>
    internal Type? Find(string? assemblyName, string fullName)
    {
        if (assemblyName is null)
            return FrameworkTypes.TryResolve(fullName, out Type? known) ? known : null;
        foreach (Type type in options.Types)
        {
            if (type.FullName == fullName && type.Assembly.GetName().Name == assemblyName)
                return type;
        }
        return FindInAllowed(assemblyName, fullName) ?? FindInOwn(assemblyName, fullName);
    }

    // When an assembly is loaded twice, the one that the application named is meant.
    private Type? FindInAllowed(string assemblyName, string fullName)
    {
        foreach (Assembly assembly in options.Assemblies)
        {
            if (assembly.GetName().Name == assemblyName && TypesOf(assembly).TryGetValue(fullName, out Type? type))
                return type;
        }
        return null;
    }

    // A class that has moved to another of the application's assemblies is found by its full name, if that is unique.
    private Type? FindInOwn(string assemblyName, string fullName)
    {
        var found = new List<Type>();
        foreach (Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (!IsOwn(assembly) || !TypesOf(assembly).TryGetValue(fullName, out Type? type))
                continue;
            if (assembly.GetName().Name == assemblyName)
                return type;
            found.Add(type);
        }
        return found.Count == 1 ? found[0] : null;
    }

    private bool IsFramework(Type definition) => !IsOwn(definition.Assembly) && FrameworkTypes.IsKnown(definition);

    private bool IsOwn(Assembly assembly) => _isOwn.GetValue(assembly, a => new StrongBox<bool>(CheckOwn(a))).Value;

    private bool CheckOwn(Assembly assembly)
    {
        if (assembly == Assembly.GetEntryAssembly() || options.Assemblies.Contains(assembly) || IsBigPile(assembly.GetName()))
            return true;
        return !assembly.IsDynamic && Array.Exists(assembly.GetReferencedAssemblies(), IsBigPile);
    }

    private static bool IsBigPile(AssemblyName name) =>
        name.Name is { } text && (text == OwnName || text.StartsWith(OwnName + ".", StringComparison.Ordinal));

    private Dictionary<string, Type> TypesOf(Assembly assembly) => _typesByName.GetValue(assembly, static a =>
    {
        var types = new Dictionary<string, Type>();
        foreach (Type? type in LoadableTypes(a))
        {
            if (type?.FullName is { } name)
                types[name] = type;
        }
        return types;
    });

    private static Type?[] LoadableTypes(Assembly assembly)
    {
        try
        {
            return assembly.GetTypes();
        }
        catch (ReflectionTypeLoadException e)
        {
            return e.Types;
        }
    }
}
