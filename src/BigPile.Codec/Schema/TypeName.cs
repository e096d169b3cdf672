using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text;

namespace BigPile.Codec.Schema;

/// <summary>
/// The stored form of type names: <c>Assembly/Namespace.Outer+Inner`1{Argument,Argument}[,]</c>, without the assembly for framework types.
/// </summary>
internal ref struct TypeName
{
    private const string Special = "{},[]/\\";
    private const int DepthMost = 64;

    private readonly ReadOnlySpan<char> _text;
    private readonly TypeRegistry _registry;
    private int _position;
    private int _depth;

    private TypeName(string text, TypeRegistry registry)
    {
        _text = text;
        _registry = registry;
    }

    public static string Of(Type type, Func<Type, bool> isFramework)
    {
        var text = new StringBuilder();
        Append(text, type, isFramework);
        return text.ToString();
    }

    public static Type Resolve(string name, TypeRegistry registry)
    {
        var parser = new TypeName(name, registry);
        try
        {
            Type type = parser.ParseType();
            Debug.Assert(parser._depth == 0, "Each type that was entered has been left.");
            if (parser._position == name.Length && !type.ContainsGenericParameters)
                return type;
        }
        catch (ArgumentException e)
        {
            throw new PileSchemaException($"The stored type {name} can't be made from what the application has.", e);
        }
        throw new PileSchemaException($"The stored type name {name} is damaged.");
    }

    private static void Append(StringBuilder text, Type type, Func<Type, bool> isFramework)
    {
        if (type.IsArray)
        {
            Append(text, type.GetElementType()!, isFramework);
            text.Append(
                '[').Append(type.IsSZArray ? "" : type.GetArrayRank() == 1 ? "*" : new string(',', type.GetArrayRank() - 1)).Append(']');
            return;
        }
        Type definition = type.IsConstructedGenericType ? type.GetGenericTypeDefinition() : type;
        if (!isFramework(definition))
            AppendEscaped(text, StoredAssembly.NameOf(definition.Assembly)!).Append('/');
        AppendEscaped(text, definition.FullName!);
        if (!type.IsConstructedGenericType)
            return;
        char separator = '{';
        foreach (Type argument in type.GetGenericArguments())
        {
            text.Append(separator);
            Append(text, argument, isFramework);
            separator = ',';
        }
        text.Append('}');
    }

    private static StringBuilder AppendEscaped(StringBuilder text, string part)
    {
        foreach (char c in part)
        {
            if (Special.Contains(c))
                text.Append('\\');
            text.Append(c);
        }
        return text;
    }

    private Type ParseType()
    {
        if (++_depth > DepthMost)
            throw new PileSchemaException("A stored type name is nested too deep.");
        Type type = ParseDefinition();
        if (TryTake('{'))
            type = ParseArguments(type);
        while (TryTake('['))
            type = ParseArray(type);
        _depth--;
        return type;
    }

    private Type ParseDefinition()
    {
        string first = ParseText();
        string? assembly = null;
        if (TryTake('/'))
        {
            assembly = first;
            first = ParseText();
        }
        return _registry.Find(assembly, first) ?? throw new PileSchemaException(
            $"The stored type {first} is not known: the application's assemblies don't declare it, and {nameof(PileCodecOptions)} does "
            + "not allow it. If it was renamed, mark the type with [FormerName], or call "
            + $"{nameof(PileCodecOptions)}.{nameof(PileCodecOptions.Rename)}.");
    }

    private Type ParseArguments(Type definition)
    {
        var arguments = new List<Type>();
        do
            arguments.Add(ParseType());
        while (TryTake(','));
        if (!TryTake('}'))
            throw new PileSchemaException("A stored type name is damaged.");
        if (!definition.IsGenericTypeDefinition)
            throw new PileSchemaException($"The stored type {definition} has arguments, but is no longer generic.");
        return definition.MakeGenericType([.. arguments]);
    }

    private Type ParseArray(Type element)
    {
        if (TryTake(']'))
            return element.MakeArrayType();
        if (TryTake('*'))
            return TryTake(']') ? element.MakeArrayType(1) : throw new PileSchemaException("A stored type name is damaged.");
        int rank = 1;
        while (TryTake(','))
            rank++;
        return TryTake(']') ? element.MakeArrayType(rank) : throw new PileSchemaException("A stored type name is damaged.");
    }

    private string ParseText()
    {
        var text = new StringBuilder();
        while (_position < _text.Length && (!Special.Contains(_text[_position]) || _text[_position] == '\\'))
        {
            if (_text[_position] == '\\' && ++_position == _text.Length)
                break;
            text.Append(_text[_position++]);
        }
        return text.ToString();
    }

    private bool TryTake(char wanted)
    {
        if (_position >= _text.Length || _text[_position] != wanted)
            return false;
        _position++;
        return true;
    }
}
