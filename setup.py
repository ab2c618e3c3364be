"Packaging: everything is read from settings.ini, so that the version and the requirements stand in one place."
from configparser import ConfigParser
from pathlib import Path

import setuptools

parser = ConfigParser(delimiters=['='])
parser.read(Path(__file__).parent/'settings.ini', encoding='utf8')
cfg = parser['DEFAULT']

setuptools.setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'],
    author=cfg['author'], author_email=cfg['author_email'], url=cfg['git_url'],
    keywords=cfg['keywords'], license='Apache-2.0',
    classifiers=['Development Status :: 3 - Alpha', 'Programming Language :: Python :: 3',
                 f"Intended Audience :: {cfg['audience']}", f"Natural Language :: {cfg['language']}"],
    packages=setuptools.find_packages(include=['fpt_nb', 'fpt_nb.*']),
    package_data={'fpt_nb': ['*.csv']},
    install_requires=cfg['requirements'].split(),
    extras_require={'dev': cfg['dev_requirements'].split(), 'offline': cfg['offline_requirements'].split()},
    python_requires=f">={cfg['min_python']}",
    long_description=(Path(__file__).parent/'README.md').read_text(encoding='utf8'),
    long_description_content_type='text/markdown',
    entry_points={'console_scripts': cfg['console_scripts'].split(),
                  'nbdev': [f"{cfg['lib_name']}={cfg['lib_path']}._modidx:d"]},
    zip_safe=False)
